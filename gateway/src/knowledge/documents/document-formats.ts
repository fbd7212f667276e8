import { documentFormats, type DocumentFormat } from '@switchroom/contract/knowledge-names'
import { badRequest } from '../../foundation/refusals.ts'

const ofEnding: Readonly<Record<string, DocumentFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  text: 'text',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
  csv: 'csv',
  tsv: 'csv',
}

const ofMediaType: Readonly<Record<string, DocumentFormat>> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/plain': 'text',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
}

/** What an original is kept and sent as. A browser shows none of it as a page of ours. */
export const mediaTypeOf: Readonly<Record<DocumentFormat, string>> = {
  markdown: 'text/markdown',
  text: 'text/plain',
  html: 'text/html',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  csv: 'text/csv',
}

export const formatOfName = (name: string): DocumentFormat | undefined =>
  ofEnding[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '']

export const formatOfMediaType = (type: string | null): DocumentFormat | undefined =>
  ofMediaType[type?.split(';', 1)[0]?.trim().toLowerCase() ?? '']

/** As it is said, else as the name ends. */
export function formatFrom(said: string | undefined, name: string): DocumentFormat {
  const format = said === undefined ? formatOfName(name) : documentFormats.find((known) => known === said)
  if (format) return format
  const formats = documentFormats.join(', ')
  throw badRequest(
    said === undefined
      ? `${name.slice(0, 80)} does not say its format: name it as format, one of ${formats}`
      : `format is one of ${formats} (got ${said.slice(0, 40)})`,
  )
}
