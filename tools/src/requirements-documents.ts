import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A requirement, a decision or a trap of one of the documents. */
export interface Item {
  id: string
  document: number
  /** The heading it is under. */
  section: string
  /** Where in the source document, as the item says it. */
  where: string
  text: string
}

export const requirementId = /^[ISN]-/

const forms = [
  /^\|\s*(?<id>[ISN]-\d+)\s*\|(?<where>[^|]*)\|(?<text>[^|]*)\|/, // | I-001 | 1 r1 | The rule. | … |
  /^\|\s*(?<id>(?:ID|S?T)-\d+)\s*\|(?<text>[^|]*)\|/, // | ID-01 | The gap. | … |
  /^#+ (?<id>SD-\d+) (?<text>.*)/, // #### SD-01 The gap
  /^\*\*(?<id>ND-\d+)\*\* \((?<where>[^)]*)\) (?<text>.*?)\*Decision:\*/, // **ND-01** (4.1) The gap. *Decision:* …
]

/** Every item of `requirements-<n>.md`, in order. */
export function readItems(folder: string): Item[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const document = /^requirements-(\d+)\.md$/.exec(name)?.[1]
      return document ? readDocument(Number(document), readFileSync(join(folder, name), 'utf8')) : []
    })
}

function readDocument(document: number, markdown: string): Item[] {
  const items: Item[] = []
  let section = ''
  for (const line of markdown.split('\n')) {
    const found = forms.map((form) => form.exec(line)?.groups).find((groups) => groups)
    if (found) {
      const { id = '', where = '', text = '' } = found
      items.push({ id, document, section, where: where.trim(), text: text.trim() })
    } else if (line.startsWith('#')) {
      section = line.replace(/^#+ /, '')
    }
  }
  return items
}
