import { Type, type Static } from 'typebox'
import { anyOf, nullable, oneOf, Timestamp, wholeNumberText } from './shapes.ts'
import {
  documentFormats,
  documentSources,
  documentStates,
  mostFiles,
  mostPassages,
  searchedBy,
} from './knowledge-names.ts'

const description = Type.String({ description: 'at most 500 characters' })
const language = nullable(
  Type.String({ description: 'a tag such as `de`, whose word forms full text knows; null: found by itself' }),
)
const embed = nullable(
  Type.String({
    description:
      'what makes embeddings; null, the only value in this version: the base is searched by words alone',
  }),
)
const agents = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string' },
  description: 'the agents that may search it; null for every agent',
})

export const Base = Type.Object({
  base: Type.String({ description: 'its name, which is unique in the environment' }),
  description,
  language,
  embed,
  agents,
  documents: Type.Integer(),
  chunks: Type.Integer(),
  bytes: Type.Integer(),
  used_by: Type.Array(Type.String(), { description: 'the agents whose settings name it, in any scope' }),
  created_at: Timestamp,
  changed_at: Timestamp,
})
export type Base = Static<typeof Base>

export const BaseList = Type.Object({ bases: Type.Array(Base) })
export type BaseList = Static<typeof BaseList>

export const CreateBase = Type.Object({
  base: Type.String({ description: 'lower-case letters, digits, `-` and `_`; at most 60' }),
  description: Type.Optional(description),
  language: Type.Optional(language),
  embed: Type.Optional(embed),
  agents: Type.Optional(agents),
})
export type CreateBase = Static<typeof CreateBase>

/** Only the named fields change. Documents are read again where `language` or `embed` does. */
export const ChangeBase = Type.Object({
  description: Type.Optional(description),
  language: Type.Optional(language),
  embed: Type.Optional(embed),
  agents: Type.Optional(agents),
})
export type ChangeBase = Static<typeof ChangeBase>

export const KnowledgeDocument = Type.Object({
  id: Type.String(),
  name: Type.String(),
  format: oneOf(documentFormats),
  source: oneOf(documentSources),
  url: nullable(Type.String({ description: 'where it is fetched from, without secrets' })),
  refetch_s: nullable(Type.Integer({ description: 'fetched again after so many seconds; null: by hand' })),
  fetched_at: nullable(Timestamp),
  state: oneOf(documentStates),
  why: nullable(Type.String({ description: 'why it failed' })),
  bytes: Type.Integer(),
  digest: nullable(Type.String({ description: 'SHA-256 of its content, in hex; null until it is fetched' })),
  chunks: Type.Integer({ description: 'what searches find of it now, also while it is read anew' }),
  created_at: Timestamp,
  changed_at: Timestamp,
})
export type KnowledgeDocument = Static<typeof KnowledgeDocument>

export const AddedDocuments = Type.Object({ documents: Type.Array(KnowledgeDocument) })
export type AddedDocuments = Static<typeof AddedDocuments>

export const DocumentsAsked = Type.Object({
  state: Type.Optional(anyOf(documentStates)),
  name: Type.Optional(Type.String({ description: 'the document of exactly this name' })),
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
  limit: Type.Optional(wholeNumberText('1 to 200; default 50', { minimum: 1, maximum: 200, default: 50 })),
})
export type DocumentsAsked = Static<typeof DocumentsAsked>

export const DocumentList = Type.Object({
  documents: Type.Array(KnowledgeDocument),
  next: nullable(Type.String({ description: 'the cursor of the next page' })),
})
export type DocumentList = Static<typeof DocumentList>

const name = Type.String({ description: 'unique in the base, such as `prices.md`; at most 200 characters' })

/** One of `text` and `url`; a file is uploaded as `multipart/form-data` instead. */
export const CreateDocument = Type.Object({
  name: Type.Optional(name),
  format: Type.Optional(anyOf(documentFormats, 'told by the name where it is absent')),
  text: Type.Optional(Type.String()),
  url: Type.Optional(Type.String({ description: 'a public address, over https or http' })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'sent when it is fetched, such as an authorization; kept sealed and never shown',
    }),
  ),
  refetch_s: Type.Optional(nullable(Type.Integer({ description: 'at least 3600; null: by hand' }))),
})
export type CreateDocument = Static<typeof CreateDocument>

/** A new content under the same name and id; likewise. */
export const ReplaceDocument = Type.Omit(CreateDocument, ['name'])
export type ReplaceDocument = Static<typeof ReplaceDocument>

const formOf = (files: string) =>
  Type.Object({
    file: Type.Optional(Type.String({ format: 'binary', description: files })),
    name: Type.Optional(name),
    format: Type.Optional(anyOf(documentFormats, 'told by the name where it is absent')),
  })

export const UploadDocuments = formOf(`one or several files, at most ${mostFiles}, each with its name`)
export const UploadDocument = formOf('one file')

export const SearchBase = Type.Object({
  query: Type.String({ description: 'at most 1000 characters' }),
  k: Type.Optional(Type.Integer({ description: `1 to ${mostPassages}; default 5` })),
  min_score: Type.Optional(Type.Number({ description: '0 to 1; default 0' })),
})
export type SearchBase = Static<typeof SearchBase>

export const Passage = Type.Object({
  chunk: Type.String({ description: 'the same text in the same place of a document has the same id' }),
  base: Type.String(),
  document: Type.String({ description: 'its id' }),
  name: Type.String({ description: "the document's name" }),
  heading: Type.Array(Type.String(), { description: 'the headings above it, outermost first' }),
  text: Type.String(),
  score: Type.Number({ description: '0 to 1' }),
})
export type Passage = Static<typeof Passage>

// not a tuple, which OpenAPI 3.1 writes otherwise than TypeBox does
const place = Type.Unsafe<[from: number, to: number]>({
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
})

export const SearchAnswer = Type.Object({
  passages: Type.Array(Passage, { description: 'best first' }),
  by: oneOf(searchedBy),
  ms: Type.Number(),
  highlights: Type.Array(Type.Array(place), {
    description:
      'of each passage, where the words of the query are in its text: from and to, in UTF-16 code units, as JavaScript counts',
  }),
})
export type SearchAnswer = Static<typeof SearchAnswer>

/** What callers asked and the base had nothing for. */
export const MissedQuery = Type.Object({
  query: Type.String(),
  agent: Type.String(),
  call: Type.String(),
  seq: Type.Integer(),
  best_score: nullable(Type.Number()),
  at: Timestamp,
})
export type MissedQuery = Static<typeof MissedQuery>

export const MissedQueries = Type.Object({
  missed: Type.Array(MissedQuery, { description: 'the newest first' }),
  next: nullable(Type.String({ description: 'the cursor of the next page' })),
})
export type MissedQueries = Static<typeof MissedQueries>

export const MissedAsked = Type.Object({
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
  limit: Type.Optional(wholeNumberText('default 50', { minimum: 1, maximum: 100, default: 50 })),
})
export type MissedAsked = Static<typeof MissedAsked>
/** What a look-up of a call found. */
export const FoundPassages = Type.Object({
  passages: Type.Array(Passage, { description: 'best first' }),
  best_score: nullable(Type.Number({ description: 'also of what lies below `min_score`; null if nothing' })),
  by: oneOf(searchedBy),
  ms: Type.Number(),
})
export type FoundPassages = Static<typeof FoundPassages>

/** A worker looks something up in a base that the settings of its call name. */
export const LookUpInCall = Type.Object({
  base: Type.String({ maxLength: 200 }),
  query: Type.String({ description: 'at most 1000 characters' }),
})
export type LookUpInCall = Static<typeof LookUpInCall>

/** An app searches for a call that it drives. */
export const SearchInCall = Type.Object({
  base: Type.String({ maxLength: 200 }),
  ...SearchBase.properties,
})
export type SearchInCall = Static<typeof SearchInCall>

/** A base as one call uses it. */
export const CallBase = Type.Object({
  base: Type.String(),
  mode: oneOf(['auto', 'tool', 'whole']),
  description: Type.String(),
  deadline_ms: Type.Integer(),
  documents: Type.Array(Type.Object({ name: Type.String(), text: Type.String() }), {
    description: 'of a base that is read whole; else none',
  }),
  note: nullable(
    Type.String({ description: 'why it is used otherwise than the settings say, or not at all' }),
  ),
  usable: Type.Boolean({ description: 'false if there is no such base that the agent may search' }),
})
export type CallBase = Static<typeof CallBase>

/** The data of the entry `knowledge.found`: one for each look-up of a turn. */
export const KnowledgeFound = Type.Object({
  base: Type.String(),
  mode: oneOf(['auto', 'tool', 'whole', 'app']),
  query: Type.String(),
  passages: Type.Array(
    Type.Object({
      chunk: Type.String(),
      document: Type.String(),
      name: Type.String(),
      heading: Type.Array(Type.String()),
      score: Type.Number(),
    }),
  ),
  best_score: nullable(Type.Number({ description: 'also of what lies below `min_score`; null if nothing' })),
  ms: Type.Number({ description: 'how long the look-up took, or was waited for' }),
  waited_ms: Type.Number({ description: 'how much of that the turn waited: what was looked up ahead is 0' }),
  late: Type.Boolean({ description: 'the deadline had passed: the turn went on without' }),
  error: nullable(Type.String()),
})
export type KnowledgeFound = Static<typeof KnowledgeFound>
