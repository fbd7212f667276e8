import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { ConsoleFiles } from './console-files.ts'

execFileSync(process.execPath, [join(import.meta.dirname, '../../../../tools/build-console.mjs')])
const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, url } = deployment

const assetsIn = (text: string) =>
  [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => `${path}`)

test('the pages behind links are the same whatever the address holds, and run no script of another (ID-83)', async () => {
  const doors = ['/', '/?login=lc_x', '/?refused=no', '/cli?c=cli_x&login=lc_x', '/invitations/x']
  const screens = [
    '/agents/hello/settings',
    '/calls/call_x',
    '/numbers',
    '/threads',
    '/team',
    '/audit',
    '/platform/orgs',
  ]
  for (const path of [...doors, ...screens]) {
    const { status, headers, text } = await anonymous.get(path)
    assert.equal(status, 200, path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.match(policy, /form-action 'none'; frame-ancestors 'none'$/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.deepEqual(
      [headers.get('referrer-policy'), headers.get('cache-control')],
      ['no-referrer', 'no-store'],
    )
    assert.doesNotMatch(text, /lc_x|cli_x|call_x|<script>|onclick|style=/)
    const assets = assetsIn(text)
    assert.ok(assets.length >= 2, text)
    for (const asset of assets) assert.equal((await anonymous.get(asset)).status, 200, asset)
  }
  assert.equal((await anonymous.get('/')).text, (await anonymous.get('/?refused=no')).text)
})

test('a page of the console connects to the gateway and its media servers, and to no other address', async () => {
  const connects = async ({ anonymous: client }: Pick<typeof deployment, 'anonymous'>) =>
    /connect-src ([^;]*);/.exec((await client.get('/')).headers.get('content-security-policy') ?? '')?.[1]
  assert.equal(await connects(deployment), "'self' https://switchroom.test wss://switchroom.test")
  const media = (name: string, address: string) => ({
    [`SVC_${name}_URL`]: address,
    [`SVC_${name}_KEY`]: 'key',
    [`SVC_${name}_SECRET`]: 'secret'.repeat(8),
  })
  const other = await deployment.another({
    SVC_BASE_URL: 'http://127.0.0.1:8080',
    ...media('MEDIA', 'https://acme.livekit.cloud'),
    ...media('SANDBOX_MEDIA', 'http://media.test:7880'),
  })
  const cloud =
    'https://acme.livekit.cloud wss://acme.livekit.cloud https://*.livekit.cloud wss://*.livekit.cloud'
  const own = 'http://127.0.0.1:8080 ws://127.0.0.1:8080'
  assert.equal(await connects(other), `'self' ${own} ${cloud} http://media.test:7880 ws://media.test:7880`)
})

test('what the console is made of is kept for a year, and comes compressed to clients that accept it', async () => {
  const script = assetsIn((await anonymous.get('/')).text).find((path) => path.endsWith('.js'))
  const sent = async (accepted: string) =>
    fetch(`${url}${script}`, { headers: { 'accept-encoding': accepted } })
  const plain = await sent('identity')
  assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8')
  const length = (await plain.text()).length
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const answer = await sent(accepted)
    assert.equal(answer.headers.get('content-encoding'), encoding, accepted)
    assert.equal(answer.headers.get('vary'), 'accept-encoding')
    assert.equal((await answer.text()).length, length)
  }
  const { status, body } = await anonymous.get('/assets/..%2f..%2fpackage.json')
  assert.deepEqual([status, body.detail], [404, 'there is no door at /assets/../../package.json'])
})

test('a console that was not built has neither page nor files', async () => {
  const files = new ConsoleFiles(join(import.meta.dirname, 'nowhere'))
  assert.deepEqual([await files.page(), await files.asset('index.js')], [undefined, undefined])
})

test('a browser, whose sockets send no headers, offers its key as a protocol; the gateway agrees to another', async () => {
  const org = await deployment.newOrg()
  const { key } = await org.serverToken('sandbox', { scopes: ['app'] })
  const address = `${url.replace('http', 'ws')}/v1/apps`
  const opened = async (protocols: string[]) => {
    const socket = new WebSocket(address, protocols)
    const [{ type }] = (await Promise.race([once(socket, 'open'), once(socket, 'error')])) as [Event]
    socket.close()
    return [type, socket.protocol]
  }
  assert.deepEqual(await opened(['svc', `svc.bearer.${key}`, 'svc.env.sandbox']), ['open', 'svc'])
  assert.deepEqual(await opened(['svc', `svc.bearer.${key}`]), ['open', 'svc'])
  assert.deepEqual(await opened(['svc', `svc.bearer.${key}`, 'svc.env.production']), ['error', ''])
  assert.deepEqual(await opened(['svc', 'svc.bearer.svc_test_invented']), ['error', ''])
  assert.deepEqual(await opened(['svc']), ['error', ''])
  assert.equal(deployment.log().includes(key), false)
})

test('what a browser offers as a protocol is a key at a socket alone', async () => {
  const org = await deployment.newOrg()
  const { client, key } = await org.serverToken('sandbox', { scopes: ['app'] })
  assert.equal((await client.get('/v1/whoami')).status, 200)
  const offering = anonymous.with({ 'sec-websocket-protocol': `svc, svc.bearer.${key}` })
  assert.equal((await offering.get('/v1/whoami')).status, 401)
})

test('every screen that the navigation of the console names can be opened at its address', async () => {
  const navigation = readFileSync(
    join(import.meta.dirname, '../../../../console/src/shell/navigation.tsx'),
    'utf8',
  )
  const addresses = [...navigation.matchAll(/href: '([^']+)'/g)].map(([, address]) => address ?? '')
  assert.ok(addresses.includes('/model-endpoints'))
  for (const address of ['sandbox', 'production'].flatMap((env) =>
    addresses.map((each) => `/${env}${each}`),
  )) {
    const { status, headers } = await anonymous.get(address)
    assert.equal(status, 200, address)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
  }
})

test('the module for other people’s pages is smaller than 30 KB without LiveKit’s client, and any page may load it', async () => {
  const { status, headers, text, bytes } = await anonymous.get('/embed/switchroom.js')
  assert.equal(status, 200)
  assert.deepEqual(
    [headers.get('access-control-allow-origin'), headers.get('content-type'), headers.get('cache-control')],
    ['*', 'text/javascript; charset=utf-8', 'public, max-age=300'],
  )
  assert.ok(bytes.length < 30_000, `${bytes.length} bytes`)
  const others = [...text.matchAll(/import\("\.\/([^"]+)"\)/g)].map(([, name]) => `${name}`)
  assert.equal(others.length, 1) // LiveKit's client, loaded on demand
  assert.doesNotMatch(text, /^import /m)
  const client = await anonymous.get(`/embed/${others[0]}`)
  assert.deepEqual(
    [client.status, client.headers.get('cache-control')],
    [200, 'public, max-age=31536000, immutable'],
  )
  for (const name of ['nothing.js', '..%2Findex.html', 'built-from'])
    assert.equal((await anonymous.get(`/embed/${name}`)).status, 404)
})
