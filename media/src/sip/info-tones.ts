import { keypad } from '../sound/keypad.ts'
import { header, type Headers, type SipRequest } from './message.ts'

const durationMs = 160

/** The key that an INFO says was pressed, by its name or by the number of its telephone event; undefined for any other. */
export function keyIn(request: SipRequest): string | undefined {
  const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  const relayed =
    type === 'application/dtmf-relay' &&
    /^[ \t]*Signal[ \t]*=[ \t]*([0-9*#A-D]|1[0-5])[ \t\r]*$/im.exec(request.body)
  const plain = type === 'application/dtmf' && /^\s*([0-9*#A-D]|1[0-5])\s*$/i.exec(request.body)
  const said = (relayed || plain || [])[1]
  return said && said.length === 2 ? keypad[Number(said)] : said?.toUpperCase()
}

/** What an INFO says of a key that we press. */
export const infoOf = (key: string): { headers: Headers; body: string } => ({
  headers: [['content-type', 'application/dtmf-relay']],
  body: `Signal=${key}\r\nDuration=${durationMs}\r\n`,
})
