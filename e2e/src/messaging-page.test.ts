import assert from 'node:assert/strict'
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  appSecret,
  startMessagingDeployment,
} from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { until } from '@switchroom/gateway/testing/until'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, org, key, platform, model } = messaging

const page = readFileSync(new URL('../../docs/messaging.md', import.meta.url), 'utf8')
const programs = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
const bodies = [...page.matchAll(/^ {2}-d '(.*)'$/gm)].map(([, body = '']) => JSON.parse(body) as object)
const folder = fileURLToPath(new URL('..', import.meta.url)) // where the SDK is found
const contact = '+34600111222'

interface Running {
  child: ChildProcessWithoutNullStreams
  printed: () => string
}

function start(code: string | undefined, environment: Record<string, string>): Running {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code ?? ''], {
    cwd: folder,
    env: { ...process.env, SVC_URL: deployment.url, SVC_KEY: key, ...environment },
  })
  after(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  return { child, printed: () => said }
}

async function run(code: string | undefined, environment: Record<string, string> = {}): Promise<string> {
  const { child, printed } = start(code, environment)
  const [status] = await once(child, 'close')
  assert.equal(status, 0, printed())
  return printed()
}

test('what the page about messaging says to do leads to an agent that answers and a desk that writes (ND-84, ND-85, ND-91)', async () => {
  const [answering, delivering, desk, template] = programs
  assert.equal(programs.length, 4)
  const manager = await org.person('manager')
  const line = platform.addNumber('+14155550100')
  const { phone_number_id, access_token } = line
  const [account, number] = bodies
  const put = await manager.client.put('/v1/carrier', { ...account, phone_number_id, access_token })
  assert.equal(put.status, 200, put.text)
  const routed = await manager.client.post('/v1/numbers', { ...number, account: phone_number_id })
  assert.equal(routed.status, 200, routed.text)

  model.reply = () => 'Yes, from seven.'
  const agent = start(answering, {})
  const held = async () => {
    const { rowCount } = await deployment.sql(`select from registrations where agent = 'desk'`)
    return rowCount === 1
  }
  await until('the agent is held', held, 60_000)
  platform.lastWrote = undefined // the page's own program delivers, of which the fake knows nothing
  const delivered = await run(delivering, {
    SVC_MSGAPP_APP_SECRET: appSecret,
    PHONE_NUMBER_ID: phone_number_id,
  })
  assert.equal(delivered, '200 {"received":1}\n')
  await until('it is answered', () => platform.textsTo(contact).length === 1)
  const supervisor = await org.person('supervisor')
  const listed = await run(desk, { SVC_KEY: supervisor.key, CONTACT: contact, TEXT: 'We keep one for you.' })
  assert.match(
    listed,
    /^Ana \(open, 1 unread\)\n {2}contact: Do you have rye bread\?\n {2}agent: Yes, from seven\.\n202 /,
  )
  await until('it is sent', () => platform.textsTo(contact).length === 2)
  assert.deepEqual(platform.textsTo(contact), ['Yes, from seven.', 'We keep one for you.'])
  assert.match(await run(desk, { SVC_KEY: supervisor.key }), /^Ana \(open, 0 unread\)/)
  await until('the agent receives the message', () => agent.printed().includes('human: We keep one for you.'))
  assert.match(
    agent.printed(),
    /^Ana writes call_\w+\nAna: Do you have rye bread\?\nagent: Yes, from seven\.\nhuman: We keep one for you\.\n$/,
  )

  const body = { type: 'BODY', text: 'Hello {{1}}, your bread is ready at {{2}}.' }
  platform.addTemplate(line, { name: 'order_ready', components: [body] })
  const templates = await run(template, { SVC_KEY: supervisor.key, CONTACT: contact })
  assert.match(
    templates,
    /^\+14155550100 order_ready \(en_US\): Hello \{\{1\}\}, your bread is ready at \{\{2\}\}\. \[ '1', '2' \]\ncall_\w+\n$/,
  )
  await until('it is sent', () => platform.sent.some(({ to, template: sent }) => to === contact && sent))
})
