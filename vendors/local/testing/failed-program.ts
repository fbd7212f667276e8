import { lineOf } from '../src/messages.ts'

// A program that finds itself broken before it can do anything.

process.stdout.write(lineOf({ type: 'failed', words: 'the weights are not what they should be' }))
process.exitCode = 1
