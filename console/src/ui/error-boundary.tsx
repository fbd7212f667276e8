import { Component, type ReactNode } from 'react'
import { Refusal } from './answers.tsx'
import { Button } from './button.tsx'

export interface UnbrokenProps {
  /** Where one is: somewhere else, it is tried anew. */
  place: string
  children: ReactNode
}

/** What breaks while it is drawn, or could not be loaded, says so and leaves the rest of the page standing. */
export class Unbroken extends Component<UnbrokenProps, { isBroken: boolean; place: string }> {
  override state = { isBroken: false, place: this.props.place }

  static getDerivedStateFromProps({ place }: UnbrokenProps, before: { place: string }) {
    return place === before.place ? null : { place, isBroken: false }
  }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div className="page">
        <Refusal error="This page could not be shown: load it again." />
        <div className="row">
          <Button onClick={() => location.reload()}>Load it again</Button>
        </div>
      </div>
    )
  }
}
