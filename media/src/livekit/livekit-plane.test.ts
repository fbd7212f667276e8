import { LiveKitFake } from '../../testing/livekit-fake.ts'
import { planeSuite } from '../../testing/plane-suite.ts'
import { LiveKitPlane } from './livekit-plane.ts'

planeSuite('LiveKit', async () => {
  const fake = await LiveKitFake.start()
  const trunk = fake.store.seedTrunk({ name: 'the office', numbers: ['+15559999999'] })
  const rule = fake.store.seedRule({ name: 'the office', trunkIds: [trunk.sipTrunkId] })
  const near = fake.store.seedTrunk({ name: 'org_a/production', numbers: ['+15559999998'] })
  const anyTrunk = fake.store.seedTrunk({ name: 'all others', allowedAddresses: ['192.0.2.1'] })
  const isForeign = (name: string) => [trunk, near, anyTrunk].some((foreign) => foreign.name === name)
  return {
    plane: new LiveKitPlane(fake.address),
    rules: async () =>
      fake.store.rules
        .filter((one) => one.name !== rule.name)
        .map(({ name, roomConfig, numbers, trunkIds }) => {
          const listed = fake.store.trunks.filter(({ sipTrunkId }) => trunkIds.includes(sipTrunkId))
          return {
            name,
            fleet: roomConfig?.agents.map(({ agentName }) => agentName).join() ?? '',
            numbers: numbers.every((number) => listed.some((one) => one.numbers.includes(number)))
              ? numbers.toSorted()
              : ['a number of no trunk of the rule'],
          }
        })
        .toSorted((some, other) => some.name.localeCompare(other.name)),
    whole: async () => fake.store.whole,
    foreign: async () => ({
      trunks: fake.store.trunks.filter(({ name }) => isForeign(name)),
      rules: fake.store.rules.filter(({ name }) => name === rule.name),
    }),
    writes: () => fake.writes.length,
    breakAfter: (writes, isLastAnswered) => fake.dieAfter(writes, isLastAnswered),
    mend: () => fake.revive(),
    stop: () => fake.stop(),
  }
})
