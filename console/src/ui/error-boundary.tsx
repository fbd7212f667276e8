import { Component, type ReactNode } from 'react'
import { Refusal } from './feedback.tsx'
import { Button } from './button.tsx'

export interface ErrorBoundaryProps {
  /** The address; a change resets the error. */
  path: string
  children: ReactNode
}

/** Shows an error in place of children that failed to render or to load. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { isBroken: boolean; path: string }> {
  override state = { isBroken: false, path: this.props.path }

  static getDerivedStateFromProps({ path }: ErrorBoundaryProps, before: { path: string }) {
    return path === before.path ? null : { path, isBroken: false }
  }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div className="page">
        <Refusal error="This page could not be shown. Reload it." />
        <div className="row">
          <Button onClick={() => location.reload()}>Reload</Button>
        </div>
      </div>
    )
  }
}
