import { buffer } from 'node:stream/consumers'
import { readDocument } from './read-document.ts'
import type { ReadTask } from './reading-process.ts'

// A program of its own: it reads one document from its input, writes its chunks to its output, and ends.
const task = JSON.parse(process.argv[2] ?? '') as ReadTask
const answer = await readDocument(task, await buffer(process.stdin))
process.stdout.write(JSON.stringify(answer), () => process.exit(0))
