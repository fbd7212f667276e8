import { NumberFixture } from '@switchroom/gateway/testing/telephony/number-fixture'
import { after } from 'node:test'

/** A deployment with a carrier, for tests in a browser. */
export async function openNumberDeployment() {
  const numbers = await NumberFixture.start({
    settings: { SVC_APPROVE_HOOKED: 'true', SVC_VERIFY_FROM: '+15005550006' },
  })
  after(() => numbers[Symbol.asyncDispose]())

  /** An org, and the key of its admin for the browser. */
  const newOrg = async (more: { operator?: boolean } = {}) => {
    const org = await numbers.newOrg()
    const { key, client } = await org.org.person('admin', { production: true, ...more })
    return { org, key, client }
  }
  return { numbers, newOrg }
}
