import { pageEventFields, type PageEvent, type PageEventType } from '@switchroom/contract/browser-calls'
import { reasonForAgents } from '../../calls/log/end-reason.ts'
import { entryOf } from '../../calls/log/entries.ts'
import type { ShownEntry } from '../../calls/log/live-logs.ts'

/** What a page is sent of an entry of its call: what was said and whose turn it is; no tools, costs or settings. */
export function pageFrame(shown: ShownEntry): Buffer | undefined {
  if (!isPageType(shown.type)) return undefined
  const { ts, data } = entryOf(shown)
  const seen = Object.fromEntries(
    pageEventFields[shown.type].flatMap((field) => (data[field] === undefined ? [] : [[field, data[field]]])),
  )
  if (shown.type === 'call.ended') seen['reason'] = reasonForAgents(data['reason'])
  const event: PageEvent = { type: shown.type, ts, data: seen }
  const id = shown.isEphemeral ? '' : `id: ${shown.seq}\n`
  return Buffer.from(`${id}event: ${shown.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

const isPageType = (type: string): type is PageEventType => Object.hasOwn(pageEventFields, type)
