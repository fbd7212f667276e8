// Names only, as scopes.ts: svc loads them at every start.

export const documentFormats = ['markdown', 'text', 'html', 'pdf', 'docx', 'csv'] as const
export type DocumentFormat = (typeof documentFormats)[number]

export const documentSources = ['upload', 'text', 'url'] as const
export type DocumentSource = (typeof documentSources)[number]

export const documentStates = ['queued', 'reading', 'ready', 'failed'] as const
export type DocumentState = (typeof documentStates)[number]

/** How a search was made: without embeddings, with them, or with both. */
export const searchedBy = ['words', 'both'] as const

/** What a call looks something up for: a turn, its model or its app. */
export const lookUpModes = ['auto', 'tool', 'app'] as const

export const mostPassages = 50
/** Of one document. */
export const largestDocumentBytes = 20 * 1024 * 1024
export const longestQuery = 1000
/** Of one upload. */
export const mostFiles = 20
export const shortestRefetchS = 3600
export const longestUrl = 2000
