import type { TestedTrunk } from '@switchroom/contract/trunk-tests'
import type { Command } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { plain } from '../terminal/text-width.ts'

/** A worker is waited for, every address is tried, and a call may ring for 45 seconds. */
const answersWithinMs = 150_000
const styles = { ok: 'green', failed: 'red', skipped: 'yellow' } as const

export const testTrunk: Command = {
  name: 'carriers test',
  summary: 'test the trunk of an account step by step',
  details:
    'A worker looks up the host, connects, and asks it (OPTIONS). With --call it places a real call, which is\na dial: it plays a tone and listens for it. The exit status is 1 if a step failed.',
  arguments: [{ name: 'account', summary: 'its id, if the org has several', isOptional: true }],
  options: [
    {
      name: 'call',
      value: 'number',
      summary: 'call this number: one that echoes, or a number of the org itself, which then echoes',
    },
    { name: 'from', value: 'number', summary: 'with --call: a number of the account (default: its first)' },
  ],
  examples: ['svc carriers test acme', 'svc carriers test acme --call +442079460018'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const body = { call: invocation.option('call'), from: invocation.option('from') }
    const query = { account: invocation.optional('account') }
    const answer = await client.post<TestedTrunk>('/v1/carrier/test', body, query, answersWithinMs)
    invocation.answer(answer, ({ account, host, steps, failed }) => {
      for (const { step, state, says, fix, took_ms } of steps) {
        const took = state === 'skipped' ? '' : ` (${took_ms} ms)`
        out.line(`${out.style(styles[state], state.padEnd(8))}${step}: ${plain(says)}${took}`)
        if (fix !== null) out.line(`        ${out.style('bold', 'do')}: ${plain(fix)}`)
      }
      out.line(failed === null ? `${account} works at ${host}.` : `${account} fails at the step ${failed}.`)
    })
    return answer.ok ? exitCodes.done : exitCodes.refused
  },
}
