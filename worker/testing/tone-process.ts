import type { Socket } from 'node:dgram'
import { ProcessLegs } from '../src/processes/process-legs.ts'
import type { ToProcess } from '../src/process-messages.ts'

// A process with the phone legs of one that runs calls; it reports the keys that are pressed on each.

const legs = new ProcessLegs((message) => void process.send?.(message))

process.on('message', (message: ToProcess, socket?: Socket) => {
  if (message.type !== 'run' || message.task.kind !== 'phone') return legs.take(message, socket)
  const { leg: id, terms } = message.task
  void legs.answered(id, terms).then((leg) => leg.onTone((digit) => process.send?.({ type: 'tone', digit })))
})
process.on('disconnect', () => process.exit(0))
