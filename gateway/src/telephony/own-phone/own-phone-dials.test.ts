import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { mediaSettings, PlacingOrg } from '../../../testing/telephony/placing-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const media = await LiveKitFake.start()
after(() => media.stop())
const carrier = await CarrierFake.start()
after(() => carrier.stop())
const account = carrier.account()
const deployment = await startDeployment({
  ...carrier.settings,
  ...mediaSettings(media),
  SVC_CARRIER_ACCOUNT_SID: account.sid,
  SVC_CARRIER_USER: account.login.user,
  SVC_CARRIER_SECRET: account.login.secret,
  SVC_VERIFY_FROM: '+15005550006',
})
after(() => deployment[Symbol.asyncDispose]())

async function verify(client: Client, number: string) {
  done(await client.put('/v1/line/from', { number }))
  const code = account.texts.findLast(({ to }) => to === number)?.body.slice(0, 6)
  done(await client.put('/v1/line/from', { number, code }))
}

test('only for the asker’s own phone the list, consent, hours and count do not hold, and every other guard does (N-263, T-16, ND-54)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const number = '+18005550199' // no hour is one to ring it
  const [ana, ben] = [
    await placingOrg.org.person('supervisor', { production: true }),
    await placingOrg.org.person('supervisor', { production: true }),
  ]
  const [asAna, asBen] = [ana.client.in('production'), ben.client.in('production')]
  await verify(ana.client, number)
  refused(await placingOrg.ask(number, {}, asAna), 403, /dial_anywhere$/)
  await placingOrg.known(number)
  done(await placingOrg.client.delete(`/v1/org/consents/${number}`))
  for (let n = 0; n < 4; n += 1) assert.equal((await placingOrg.ask(number, {}, asAna)).status, 202)
  refused(await placingOrg.ask(number, {}, asBen), 403, /do-not-call/)
  refused(await placingOrg.ask(number), 403, /do-not-call/)
  refused(await placingOrg.ask(number, {}, asAna), 429, /^per_minute: /)
})

test('a number that is not the asker’s any more is as any other (ND-54)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const number = await placingOrg.known('+18005550198')
  const ana = await placingOrg.org.person('supervisor', { production: true })
  await verify(ana.client, number)
  const asAna = ana.client.in('production')
  assert.equal((await placingOrg.ask(number, {}, asAna)).status, 202)
  assert.equal((await ana.client.delete('/v1/line/from')).status, 204)
  refused(await placingOrg.ask(number, {}, asAna), 403, /^no_consent: /)
})
