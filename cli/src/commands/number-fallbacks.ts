import type { NumberFallbacks, NumberList } from '@switchroom/contract/numbers'
import { path } from '../gateway/gateway-client.ts'
import type { Command } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure, wrongUsage } from '../terminal/failures.ts'
import { numberArgument } from './number-options.ts'

export const fallbacks: Command = {
  name: 'numbers fallbacks',
  summary: 'show or set the accounts that calls go out through if the account of a number cannot carry them',
  details: 'They are tried in the order given. --account replaces what was set before.',
  arguments: [numberArgument],
  options: [
    { name: 'account', value: 'id', isRepeated: true, summary: 'a carrier account of the org' },
    { name: 'none', summary: 'take all of them away' },
  ],
  examples: [
    'svc numbers fallbacks +34911234567',
    'svc numbers fallbacks +34911234567 --account backup --account third',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const number = invocation.argument('number')
    const accounts = invocation.list('account')
    const isCleared = invocation.flag('none')
    if (isCleared && accounts !== undefined) throw wrongUsage('--none and --account exclude each other')
    const answer =
      accounts === undefined && !isCleared
        ? fallbacksIn(await client.get<NumberList>('/v1/numbers'), number)
        : await client.put<NumberFallbacks>(path`/v1/numbers/${number}/fallbacks`, {
            accounts: accounts ?? [],
          })
    invocation.answer(answer, ({ account, fallback_accounts }) => {
      const order = [account ?? 'no account', ...fallback_accounts].join(', then ')
      invocation.out.line(`Calls from ${number} go out through ${order}.`)
    })
  },
}

function fallbacksIn({ numbers }: NumberList, wanted: string): NumberFallbacks {
  const found = numbers.find(({ route }) => route.number === wanted)
  if (!found) throw new Failure(exitCodes.refused, `the org has no number ${wanted} here: see svc numbers`)
  const { account, fallback_accounts } = found
  return { number: wanted, account, fallback_accounts }
}
