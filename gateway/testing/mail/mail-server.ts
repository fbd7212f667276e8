import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { ServerCertificate } from '../certificates.ts'
import { readLetter, type Letter } from './letter-reader.ts'
import { until } from '../until.ts'

export interface ReceivedLetter extends Letter {
  envelope: { from: string; to: string[] }
  /** Whether it came over TLS. */
  secure: boolean
  /** The user that was signed in, if any. */
  user: string | undefined
}

/** `refuse`: every recipient with 550; `hang`: no answer to the letter; `drop`: closes when the letter arrives. */
export type MailServerManners = 'accept' | 'refuse' | 'hang' | 'drop'

export interface MailServerOptions {
  security?: 'starttls' | 'tls' | 'none'
  certificate?: ServerCertificate
  /** Asked of every sender. */
  auth?: { username: string; password: string }
}

/** A real SMTP server on loopback that keeps what it receives. */
export interface MailServer extends AsyncDisposable {
  port: number
  behave: (manners: MailServerManners) => void
  connections: () => number
  /** Tries to hand it a letter, whatever became of them. */
  tries: () => number
  letters: () => ReceivedLetter[]
  /** The oldest letter that was not asked for yet; fails when none comes in time. */
  nextLetter: (withinMs?: number) => Promise<ReceivedLetter>
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { security = 'none', certificate, auth } = options
  const letters: ReceivedLetter[] = []
  let manners: MailServerManners = 'accept'
  let connections = 0
  let tries = 0
  let asked = 0

  const disabledCommands = [...(security === 'none' ? ['STARTTLS'] : []), ...(auth ? [] : ['AUTH'])]
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) =>
    username === auth?.username && password === auth?.password
      ? done(null, { user: username })
      : done(new Error('Invalid username or password'))
  const onMailFrom: SMTPServerOptions['onMailFrom'] = (_address, _session, done) => {
    tries += 1
    done()
  }
  const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
    done(manners === 'refuse' ? Object.assign(new Error('5.7.1 not here'), { responseCode: 550 }) : null)
  const onData: SMTPServerOptions['onData'] = (stream, { envelope, secure, user }, done) => {
    if (manners === 'drop') for (const connection of server.connections) connection.close()
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      if (manners === 'hang' || manners === 'drop') return
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const to = envelope.rcptTo.map(({ address }) => address)
      letters.push({ ...readLetter(String(Buffer.concat(chunks))), envelope: { from, to }, secure, user })
      done()
    })
  }

  const server = new SMTPServer({
    ...certificate,
    secure: security === 'tls',
    disabledCommands,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onAuth,
    onMailFrom,
    onRcptTo,
    onData,
  })
  server.on('error', () => {}) // a client that breaks off
  server.server.on('connection', () => (connections += 1))
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')

  return {
    port: (server.server.address() as AddressInfo).port,
    behave: (wanted) => void (manners = wanted),
    connections: () => connections,
    tries: () => tries,
    letters: () => [...letters],
    async nextLetter(withinMs = 10_000) {
      asked += 1
      return until('a letter arrives', () => letters[asked - 1], withinMs)
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
