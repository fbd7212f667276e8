// The health check of the image: node health.mjs [gateway | voice-server | worker | launcher]. Without a word it asks
// the program that the container was started with.
import { existsSync, readFileSync } from 'node:fs'

const { SVC_PORT, SVC_VOICE_PORT, SVC_WORKER_HEALTH_PORT } = process.env
const ports = {
  gateway: [SVC_PORT || 8080],
  'voice-server': [SVC_VOICE_PORT || 8081],
  worker: [SVC_WORKER_HEALTH_PORT || 8095],
  launcher: [SVC_PORT || 8080, SVC_VOICE_PORT || 8081],
}

const role = process.argv[2] ?? startedRole()
if (!Object.hasOwn(ports, role)) fail(`there is no program ${role}: use ${Object.keys(ports).join(', ')}`)
for (const port of ports[role]) {
  const url = `http://127.0.0.1:${port}/healthz`
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(4_000) })
    if (status !== 200) fail(`${url} answers ${status}`)
  } catch (error) {
    fail(`${url} does not answer: ${error.cause?.code ?? error.message}`)
  }
}
process.exit(0) // without waiting for the connections that it keeps

function startedRole() {
  const file = '/tmp/switchroom-role'
  if (!existsSync(file))
    fail('no program was started in this container: name one, as switchroom health gateway')
  return readFileSync(file, 'utf8').trim()
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
