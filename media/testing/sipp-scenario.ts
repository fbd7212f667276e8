/** What a scenario says of a message beyond the usual headers. */
export interface SippMessage {
  headers?: readonly string[]
  body?: string
}

/** A scenario of these steps. */
export const scenario = (...steps: readonly string[]) =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="of a test">\n${steps.join('\n')}\n</scenario>\n`

const message = (lines: readonly string[], { headers = [], body = '' }: SippMessage) => {
  const typed = body === '' ? [] : ['Content-Type: application/sdp']
  const all = [...lines, ...headers, ...typed, 'Content-Length: [len]', '', body]
  return `<![CDATA[\n${all.join('\n')}\n]]>`
}

/** A request of the one who called, in its call; what is repeated until it is answered is no ACK. */
export const ask = (method: string, sequence: number, more: SippMessage = {}, attributes = '') => {
  const lines = [
    `${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0`,
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    'From: <sip:+34600111222@[local_ip]:[local_port]>;tag=[call_number]',
    'To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]',
    'Call-ID: [call_id]',
    `CSeq: ${sequence} ${method}`,
    'Contact: <sip:caller@[local_ip]:[local_port];transport=[transport]>',
    'Max-Forwards: 70',
  ]
  const repeated = method === 'ACK' ? '' : ' retrans="500"'
  return `<send${repeated}${attributes}>${message(lines, more)}</send>`
}

/** An answer of the one who was called, or asked. */
export const answer = (status: string, more: SippMessage = {}, tag = ';tag=[call_number]') => {
  const lines = [
    `SIP/2.0 ${status}`,
    '[last_Via:]',
    '[last_From:]',
    `[last_To:]${tag}`,
    '[last_Call-ID:]',
    '[last_CSeq:]',
    'Contact: <sip:callee@[local_ip]:[local_port];transport=[transport]>',
  ]
  return `<send>${message(lines, more)}</send>`
}

/** Waits for a response; each pattern must be in it. */
export const hear = (status: number, ...patterns: readonly string[]) =>
  `<recv response="${status}">${checks(patterns)}</recv>`

/** Passes over a response that may come. */
export const mayHear = (status: number) => `<recv response="${status}" optional="true" />`

/** Waits for a request; each pattern must be in it. */
export const isAsked = (method: string, ...patterns: readonly string[]) =>
  `<recv request="${method}">${checks(patterns)}</recv>`

/** Sends the sound of a file, in PCMU, over and over. */
export const plays = (file: string) =>
  `<nop><action><exec rtp_stream="${file},-1,0,PCMU/8000"/></action></nop>`

let checked = 0

function checks(patterns: readonly string[]): string {
  const actions = patterns.map((pattern) => {
    checked += 1
    const search = `regexp="${pattern}" search_in="msg" check_it="true"`
    return `<ereg ${search} assign_to="checked${checked}" /><log message="[$checked${checked}]" />`
  })
  return actions.length === 0 ? '' : `<action>${actions.join('')}</action>`
}

/** What sipp offers or answers for sound: PCMU and PCMA at the port that it sends from. */
export const sound = ({
  address = '[media_ip]',
  line = 'RTP/AVP 0 8 101',
  lines = ['a=rtpmap:101 telephone-event/8000'],
}: {
  address?: string
  line?: string
  lines?: readonly string[]
} = {}) =>
  [
    'v=0',
    'o=sipp 1 1 IN IP4 [local_ip]',
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio [rtpstream_audio_port] ${line}`,
    ...lines,
  ].join('\n')
