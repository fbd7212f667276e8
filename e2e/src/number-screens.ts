import { NumberFixture } from '@switchroom/gateway/testing/telephony/number-fixture'
import { after } from 'node:test'

/** A deployment with a carrier, whose orgs are looked at in a browser. */
export async function openNumberDesk() {
  const desk = await NumberFixture.start({
    settings: { SVC_APPROVE_HOOKED: 'true', SVC_VERIFY_FROM: '+15005550006' },
  })
  after(() => desk[Symbol.asyncDispose]())

  /** An org, and a person of it whose key the browser has. */
  const newOrg = async (more: { operator?: boolean } = {}) => {
    const org = await desk.newOrg()
    const { key, client } = await org.org.person('admin', { production: true, ...more })
    return { org, key, client }
  }
  return { desk, newOrg }
}
