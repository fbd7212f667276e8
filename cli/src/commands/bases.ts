import type {
  AddedDocuments,
  Base,
  BaseList,
  DocumentList,
  KnowledgeDocument,
  SearchAnswer,
} from '@switchroom/contract/knowledge'
import { documentStates } from '@switchroom/contract/knowledge-names'
import { synchronised, watched } from '../bases/document-files.ts'
import { path, type GatewayClient } from '../gateway/gateway-client.ts'
import { afterOption, type Argument, type Command, type Option } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'

const baseArgument: Argument = { name: 'base', summary: 'a base from svc bases' }
const documentArgument: Argument = { name: 'document', summary: 'the name or the id of a document' }
const options: readonly Option[] = [
  { name: 'description', value: 'text', summary: 'what it is for' },
  { name: 'language', value: 'tag', summary: 'such as de, or none: found in each document' },
  { name: 'embed', value: 'model', summary: 'what makes embeddings, as vendor/model, or none' },
  { name: 'agents', value: 'list', summary: 'the agents that may search it, or all' },
]

const columns = [
  { title: 'base', isName: true, of: ({ base }: Base) => base },
  { title: 'documents', of: ({ documents }: Base) => documents },
  { title: 'chunks', of: ({ chunks }: Base) => chunks },
  { title: 'agents', of: ({ agents }: Base) => agents?.join(',') ?? 'all' },
  { title: 'used by', of: ({ used_by }: Base) => used_by.join(',') },
  { title: 'description', of: ({ description }: Base) => description },
]

const documentColumns = [
  { title: 'document', isName: true, of: ({ id }: KnowledgeDocument) => id },
  { title: 'name', of: ({ name }: KnowledgeDocument) => name },
  { title: 'state', of: ({ state }: KnowledgeDocument) => state },
  { title: 'chunks', of: ({ chunks }: KnowledgeDocument) => chunks },
  { title: 'bytes', of: ({ bytes }: KnowledgeDocument) => bytes },
  { title: 'why', of: ({ why }: KnowledgeDocument) => why },
]

const list: Command = {
  name: 'bases',
  summary: 'knowledge bases of the org in this environment',
  examples: ['svc bases', 'svc bases --env production --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<BaseList>('/v1/bases')
    invocation.answer(answer, ({ bases }) =>
      invocation.out.table(bases, columns, 'No bases. Create one with svc bases create.'),
    )
  },
}

const show: Command = {
  name: 'bases show',
  summary: 'a knowledge base, as JSON',
  arguments: [baseArgument],
  examples: ['svc bases show faq'],
  async run(invocation) {
    const client = await invocation.client()
    invocation.out.json(await client.get<Base>(path`/v1/bases/${invocation.argument('base')}`))
  },
}

const create: Command = {
  name: 'bases create',
  summary: 'create a knowledge base',
  arguments: [{ name: 'base', summary: 'its name, such as faq' }],
  options,
  examples: ['svc bases create faq', 'svc bases create faq --language de --agents desk'],
  async run(invocation) {
    const client = await invocation.client()
    const body = { base: invocation.argument('base'), ...choicesIn(invocation) }
    const answer = await client.post<Base>('/v1/bases', body)
    invocation.answer(answer, ({ base }) => invocation.out.line(`Created ${base}.`))
  },
}

const change: Command = {
  name: 'bases change',
  summary: 'change a knowledge base',
  details: 'Options that are not given keep their value. Another language or model reads all documents anew.',
  arguments: [baseArgument],
  options,
  examples: ['svc bases change faq --agents all'],
  async run(invocation) {
    const client = await invocation.client()
    const at = path`/v1/bases/${invocation.argument('base')}`
    const answer = await client.patch<Base>(at, choicesIn(invocation))
    invocation.answer(answer, ({ base }) => invocation.out.line(`Changed ${base}.`))
  },
}

const remove: Command = {
  name: 'bases delete',
  summary: 'delete a knowledge base with its documents',
  arguments: [baseArgument],
  examples: ['svc bases delete faq'],
  async run(invocation) {
    const client = await invocation.client()
    const base = invocation.argument('base')
    await client.delete(path`/v1/bases/${base}`)
    if (!invocation.isJson) invocation.out.line(`Deleted ${base}.`)
  },
}

const documents: Command = {
  name: 'bases documents',
  summary: 'documents of a base with their state',
  arguments: [baseArgument],
  options: [
    { name: 'state', value: 'name', choices: documentStates, summary: 'only these' },
    { name: 'limit', value: 'n', summary: 'how many, 1 to 200; default 50' },
    afterOption,
  ],
  examples: ['svc bases documents faq', 'svc bases documents faq --state failed'],
  async run(invocation) {
    const client = await invocation.client()
    const query = {
      state: invocation.option('state'),
      limit: invocation.option('limit'),
      after: invocation.option('after'),
    }
    const answer = await client.get<DocumentList>(
      path`/v1/bases/${invocation.argument('base')}/documents`,
      query,
    )
    invocation.page(answer, answer.documents, documentColumns, 'No documents. Add some with svc bases add.')
  },
}

const add: Command = {
  name: 'bases add',
  summary: 'add a file, a folder, an address, or standard input for -',
  details:
    'Of a folder each file has its path as its name; files whose content is there already are left alone, others are added or replaced. --watch goes on until Ctrl+C.',
  arguments: [baseArgument, { name: 'what', summary: 'a file, a folder, an address of http or https, or -' }],
  options: [
    { name: 'name', value: 'text', summary: 'the name of the document' },
    { name: 'refetch', value: 'seconds', summary: 'of an address: fetch it again after so long' },
    { name: 'delete', summary: 'of a folder: delete uploaded documents that are not in it' },
    { name: 'watch', summary: 'of a folder: follow its changes' },
  ],
  examples: [
    'svc bases add faq prices.pdf',
    'svc bases add faq docs --watch --delete',
    'svc bases add faq https://example.com/prices --refetch 86400',
    'date | svc bases add faq - --name now.txt',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const base = invocation.argument('base')
    const what = invocation.argument('what')
    if (what === '-') return added(invocation, client, base, { text: await invocation.textOf(what) })
    if (/^https?:\/\//.test(what))
      return added(invocation, client, base, { url: what, refetch_s: invocation.number('refetch') })
    const wanted = { base, root: what, name: invocation.option('name'), deletes: invocation.flag('delete') }
    const tell = (line: string) => !invocation.isJson && invocation.out.line(line)
    const changes = await synchronised(client, wanted, tell)
    if (invocation.isJson) invocation.out.json(changes)
    else
      invocation.out.line(
        `${changes.added} added, ${changes.replaced} replaced, ${changes.deleted} deleted, ${changes.same} as before.`,
      )
    if (invocation.flag('watch')) await watched(client, wanted, tell)
  },
}

const removeDocument: Command = {
  name: 'bases remove',
  summary: 'delete a document of a base',
  arguments: [baseArgument, documentArgument],
  examples: ['svc bases remove faq prices.pdf'],
  async run(invocation) {
    const client = await invocation.client()
    const [base, typed] = [invocation.argument('base'), invocation.argument('document')]
    const named = await client.get<DocumentList>(path`/v1/bases/${base}/documents`, { name: typed })
    await client.delete(path`/v1/bases/${base}/documents/${named.documents[0]?.id ?? typed}`)
    if (!invocation.isJson) invocation.out.line(`Deleted ${typed}.`)
  },
}

const search: Command = {
  name: 'bases search',
  summary: 'what a base has about a question, best first',
  arguments: [baseArgument, { name: 'query', summary: 'a question or some words' }],
  options: [
    { name: 'k', value: 'n', summary: 'how many, 1 to 50; default 5' },
    { name: 'min-score', value: 'n', summary: '0 to 1; default 0' },
  ],
  examples: ['svc bases search faq "when do you open"'],
  async run(invocation) {
    const client = await invocation.client()
    const body = {
      query: invocation.argument('query'),
      k: invocation.number('k'),
      min_score: invocation.number('min-score'),
    }
    const answer = await client.post<SearchAnswer>(
      path`/v1/bases/${invocation.argument('base')}/search`,
      body,
    )
    invocation.answer(answer, ({ passages }) => {
      for (const { score, name, heading, text } of passages) {
        invocation.out.line(`${score.toFixed(2)}  ${[name, ...heading].join(' > ')}`)
        invocation.out.line(text.replace(/\s+/g, ' '))
      }
      if (passages.length === 0) invocation.out.line('Nothing was found.')
    })
  },
}

async function added(invocation: Invocation, client: GatewayClient, base: string, what: object) {
  const body = { name: invocation.option('name'), ...what }
  const answer = await client.post<AddedDocuments>(path`/v1/bases/${base}/documents`, body)
  invocation.answer(answer, ({ documents: [document] }) =>
    invocation.out.line(`Added ${document?.name}, which is read within seconds.`),
  )
}

const choicesIn = (invocation: Invocation) => ({
  description: invocation.option('description'),
  language: noneIn(invocation.option('language')),
  embed: noneIn(invocation.option('embed')),
  agents: listIn(invocation.option('agents')),
})

const noneIn = (typed: string | undefined) => (typed === 'none' ? null : typed)

/** Null is every one. */
const listIn = (typed: string | undefined) =>
  typed === undefined ? undefined : typed === 'all' ? null : typed.split(',').map((item) => item.trim())

export const baseCommands = [list, show, create, change, remove, documents, add, removeDocument, search]
