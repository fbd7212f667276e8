import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()

test('workers that ask at the same moment for the credentials of calls and agents that nobody knew get them all', async () => {
  const org = await deployment.newOrg()
  const fleets = [deployment, other].map(({ anonymous }) =>
    anonymous.as(fleetKey).with({ 'svc-org': org.slug }),
  )
  for (let round = 0; round < 25; round += 1) {
    const paths = [0, 1].map((call) => `/v1/agents/new-${round}/provider-keys?for_call=new-${round}-${call}`)
    const asked = fleets.flatMap((fleet) => paths.map((path) => fleet.get(path)))
    const answers = await Promise.all(asked)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
      answers.map(({ text }) => text).join('\n'),
    )
  }
  const { rows } = await deployment.sql('select count(*)::int as calls from calls where org = $1', [org.id])
  assert.equal(rows[0].calls, 50)
})
