import { once } from 'node:events'
import { ask, startBorrower } from './borrowers.ts'
import { programsUnder } from './speech.ts'

// A process that lends its programs to another one. It prints the ids of all of these, and continues until it is killed.

const borrower = startBorrower()
await ask(borrower, { listen: true })
await ask(borrower, { say: 'Hello.' })
const programs = await programsUnder(process.pid, 'program.ts')
process.stdout.write(`${JSON.stringify([borrower.pid, ...programs])}\n`)
await once(borrower, 'exit')
