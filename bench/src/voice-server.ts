import { randomBytes } from 'node:crypto'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { startBenchDeployment } from './deployment.ts'
import { startProcess } from './processes.ts'

/** A gateway and a voice server beside it, on which one vendor's stage is asked at this address. */
export async function startVoiceServer(
  stage: `${'stt' | 'tts'}/${string}`,
  vendorUrl: string,
  settings: Record<string, string>,
) {
  await using parts = new AsyncDisposableStack()
  const fleetKey = `svc_fleet_${randomBytes(32).toString('base64url')}`
  const [, vendor = ''] = stage.split('/')
  const gateway = parts.use(
    await startBenchDeployment({
      [`SVC_PROVIDER_KEY_${vendor.toUpperCase()}`]: 'bench',
      SVC_FLEET_KEY: fleetKey,
      SVC_NEW_ORG_CREDITS: '1000000',
      ...settings,
    }),
  )
  const { url, ask } = gateway
  const port = await freePort()
  const server = parts.use(
    await startProcess('speech/src/main.ts', {
      SVC_VOICE_PORT: String(port),
      SVC_GATEWAY_URL: url,
      SVC_FLEET_KEY: fleetKey,
    }),
  )
  const row = await ask('GET', '/v1/ops/providers')
  row.options[stage] = { base_url: vendorUrl }
  await ask('PUT', '/v1/ops/providers', row)
  await ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  const token = { label: 'bench', env: 'sandbox', scopes: ['talk'] }
  const { key } = await ask('POST', '/v1/ops/orgs/bench/keys', token)
  const running = parts.move()
  return { port, gateway, server, key: String(key), [Symbol.asyncDispose]: () => running.disposeAsync() }
}
