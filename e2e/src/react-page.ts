import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { root } from './launch.ts'

const component = /```tsx\n(.*?)```/s.exec(readFileSync(join(root, 'docs/browser.md'), 'utf8'))?.[1] ?? ''

/** A page with the component of the documentation and a button that takes it away. */
const program = `${component}
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
function Page() {
  const [isThere, setThere] = useState(true)
  return isThere ? (
    <>
      <Talk url={globalThis.gateway} publishableKey={globalThis.publishableKey} />
      <button onClick={() => setThere(false)}>Remove</button>
    </>
  ) : (
    <p>Nothing here</p>
  )
}
createRoot(document.querySelector('main')).render(<StrictMode><Page /></StrictMode>)
`

/** The program of a page with that component; it reads `globalThis.gateway` and `globalThis.publishableKey`. */
export async function bundledReactPage(): Promise<string> {
  const name = join(root, 'e2e/react-page.tsx') // packages are found from there; nothing is written
  const plugin = {
    name: 'page',
    resolveId: (id: string) => (id === name ? id : undefined),
    load: (id: string) => (id === name ? program : undefined),
  }
  const made = (await build({
    root: join(root, 'e2e'),
    configFile: false,
    logLevel: 'warn',
    plugins: [plugin],
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      write: false,
      rolldownOptions: { input: name, output: { codeSplitting: false } },
      chunkSizeWarningLimit: 2000,
    },
  })) as Rolldown.RolldownOutput
  return made.output[0].code
}
