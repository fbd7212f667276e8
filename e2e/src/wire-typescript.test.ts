import { fileURLToPath } from 'node:url'
import { callCases } from './wire/call-cases.ts'
import { connectionCases } from './wire/connection-cases.ts'
import { requestCases } from './wire/request-cases.ts'
import { textCases } from './wire/text-cases.ts'
import { toolCases } from './wire/tool-cases.ts'
import { WireDriver } from './wire/wire-driver.ts'
import { wireSuite } from './wire/wire-suite.ts'

const program = fileURLToPath(new URL('../../sdk/testing/wire-driver.ts', import.meta.url))

const cases = [...connectionCases, ...toolCases, ...textCases, ...callCases, ...requestCases]
await wireSuite('TypeScript', cases, () => new WireDriver(process.execPath, [program]))
