import type { Lexicon, LexiconHistory, LexiconView } from '@switchroom/contract/settings'
import { aboutScope, scopeAsked, scopeNames, teamOf, versionColumns } from './agent-scopes.ts'
import { agentArgument, fileOption, teamOption, type Command } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'

const at = (invocation: Invocation) => path`/v1/agents/${invocation.argument('agent')}/lexicon`
const noteOption = { name: 'note', value: 'text', summary: 'why, for the history' }
const wordArgument = { name: 'word', summary: 'the word as it is written' }

const get: Command = {
  name: 'lexicon get',
  summary: 'show pronunciation and vocabulary',
  arguments: [agentArgument],
  examples: ['svc lexicon get hello'],
  async run(invocation) {
    const client = await invocation.client()
    const view = await client.get<LexiconView>(at(invocation))
    invocation.answer(view, () => {
      const rows = scopeNames.flatMap((scope) => {
        const { said = [], heard = [] } = view[scope]?.lexicon ?? {}
        return [
          ...said.map(({ word, spoken }) => ({ scope, half: 'said', word, spoken })),
          ...heard.map((word) => ({ scope, half: 'heard', word, spoken: '' })),
        ]
      })
      invocation.out.table(
        rows,
        [
          { title: 'scope', of: ({ scope }) => scope },
          { title: 'half', of: ({ half }) => half },
          { title: 'word', of: ({ word }) => word },
          { title: 'spoken', of: ({ spoken }) => spoken },
        ],
        'The lexicon is empty.',
      )
    })
  },
}

const set: Command = {
  name: 'lexicon set',
  summary: 'replace the lexicon of one scope',
  arguments: [agentArgument],
  options: [fileOption('{"said": [{"word", "spoken"}], "heard": ["word"]}'), teamOption, noteOption],
  examples: ['svc lexicon set hello --file words.json', 'svc lexicon set hello --team --file - < words.json'],
  async run(invocation) {
    const lexicon = (await invocation.jsonOf(invocation.needed('file'))) as Lexicon
    await change(invocation, () => lexicon)
  },
}

const say: Command = {
  name: 'lexicon say',
  summary: 'set the pronunciation of a word',
  arguments: [agentArgument, wordArgument, { name: 'spoken', summary: 'what to say instead' }],
  options: [teamOption, noteOption],
  examples: ['svc lexicon say hello SQL sequel'],
  run: (invocation) =>
    change(invocation, ({ said, heard }) => {
      const [word, spoken] = [invocation.argument('word'), invocation.argument('spoken')]
      return { said: [...said.filter((each) => each.word !== word), { word, spoken }], heard }
    }),
}

const hear: Command = {
  name: 'lexicon hear',
  summary: 'add a word to the vocabulary of speech-to-text',
  arguments: [agentArgument, wordArgument],
  options: [teamOption, noteOption],
  examples: ['svc lexicon hear hello Switchroom'],
  run: (invocation) =>
    change(invocation, ({ said, heard }) => {
      return { said, heard: [...new Set([...heard, invocation.argument('word')])] }
    }),
}

const drop: Command = {
  name: 'lexicon drop',
  summary: 'remove a word from the lexicon',
  arguments: [agentArgument, wordArgument],
  options: [teamOption, noteOption],
  examples: ['svc lexicon drop hello SQL'],
  run: (invocation) =>
    change(invocation, ({ said, heard }) => {
      const gone = invocation.argument('word')
      return { said: said.filter(({ word }) => word !== gone), heard: heard.filter((word) => word !== gone) }
    }),
}

async function change(invocation: Invocation, made: (lexicon: Lexicon) => Lexicon): Promise<void> {
  const client = await invocation.client()
  const scope = await scopeAsked(invocation, client)
  const { [scope]: row } = await client.get<LexiconView>(at(invocation))
  const view = await client.put<LexiconView>(at(invocation), {
    lexicon: made(row?.lexicon ?? { said: [], heard: [] }),
    if_version: row?.version ?? 0,
    note: invocation.option('note'),
    team: teamOf(invocation),
  })
  invocation.answer(view, () => {
    invocation.out.line(`The lexicon is at v${view[scope]?.version ?? 0} of ${scope}.`)
    invocation.out.note(aboutScope(invocation, scope))
  })
}

const history: Command = {
  name: 'lexicon history',
  summary: "versions of one scope's lexicon, newest first",
  arguments: [agentArgument],
  options: [teamOption],
  examples: ['svc lexicon history hello'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<LexiconHistory>(`${at(invocation)}/history`, { team: teamOf(invocation) })
    invocation.answer(answer, ({ versions }) =>
      out.table(
        versions,
        [
          ...versionColumns(out),
          { title: 'words', of: ({ lexicon }) => lexicon.said.length + lexicon.heard.length },
        ],
        'No versions yet.',
      ),
    )
  },
}

export const lexiconCommands = [get, set, say, hear, drop, history]
