import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MediaPlane } from '../src/plane.ts'
import { admission, changes, fence, one, sorted, stands, three, two } from './plane-admissions.ts'

/** A media plane that a test can look into and break. */
export interface PlaneUnderTest {
  plane: MediaPlane
  /** Whose workers answer which numbers, by scope. */
  rules(): Promise<{ name: string; fleet: string; numbers: string[] }[]>
  /** Everything that is kept there, ours and foreign, to compare. */
  whole(): Promise<unknown>
  /** What another program keeps there. */
  foreign(): Promise<unknown>
  /** How many writes there were. */
  writes(): number
  /** It fails after that many more writes; the answer to the last one arrives or is lost. */
  breakAfter(writes: number, isLastAnswered: boolean): void
  mend(): void
  /** Fails if anything was ever admitted that no test asked for. */
  stop(): Promise<void>
}

/** What holds for every media plane. */
export function planeSuite(name: string, start: () => Promise<PlaneUnderTest>) {
  const rule = (sentence: string, proof: (under: PlaneUnderTest) => Promise<void>) => {
    test(sentence, async () => {
      const under = await start()
      try {
        await proof(under)
      } finally {
        await under.stop()
      }
    })
  }

  describe(name, () => {
    rule(
      'a fence is made once for its carrier, peer or number, and one rule for the environment (N-184, N-185, N-186, N-187, N-188, N-189)',
      async (under) => {
        const pair = { username: 'peer', password: 'a word of the peer' }
        const production = admission('production', [
          fence('apicarrier', [one, two]),
          { ...fence('sip/peer1', ['+15550000011'], ['203.0.113.7/32']), pair },
          fence('sip/peer2', ['+15550000012'], ['203.0.113.8/32']),
          fence('own/+15550000013', ['+15550000013'], ['203.0.113.9/32', '203.0.113.10/32']),
          fence('own/+15550000014', ['+15550000014'], ['203.0.113.9/32']),
        ])
        const sandbox = admission('sandbox', [fence('apicarrier', [three])])
        const verdicts = await under.plane.admit(production)
        assert.deepEqual([...verdicts.fences.values()], ['done', 'done', 'done', 'done', 'done'])
        assert.equal(verdicts.rule, 'done')
        await under.plane.admit(sandbox)
        assert.deepEqual(sorted(await under.plane.list()), sorted([...production.fences, ...sandbox.fences]))
        assert.deepEqual(await under.rules(), [
          {
            name: 'org_a/production',
            fleet: 'fleet-of-production',
            numbers: [one, two, '+15550000011', '+15550000012', '+15550000013', '+15550000014'],
          },
          { name: 'org_a/sandbox', fleet: 'fleet-of-sandbox', numbers: [three] },
        ])
      },
    )

    rule('what is already as wanted is not written again', async (under) => {
      const wanted = admission('production', [fence('apicarrier', [one, two]), fence('sip/peer', [three])])
      await under.plane.admit(wanted)
      const writes = under.writes()
      const again = {
        ...wanted,
        fences: wanted.fences.map((each) => ({ ...each, numbers: each.numbers.toReversed() })),
      }
      assert.deepEqual(await under.plane.admit(again), { fences: stands(wanted), rule: 'stands' })
      assert.equal(under.writes(), writes)
    })

    rule('a preview reports what is to do and does nothing', async (under) => {
      const wanted = admission('production', [fence('apicarrier', [one])])
      assert.deepEqual(await under.plane.preview(wanted), {
        fences: new Map([['org_a/production/apicarrier', 'to do']]),
        rule: 'to do',
      })
      assert.equal(under.writes(), 0)
      await under.plane.admit(wanted)
      assert.deepEqual(await under.plane.preview(wanted), { fences: stands(wanted), rule: 'stands' })
      assert.deepEqual(await under.plane.preview(admission('production', [])), {
        fences: new Map([['org_a/production/apicarrier', 'to do']]),
        rule: 'to do',
      })
      assert.deepEqual(await under.plane.preview(admission('sandbox', [])), {
        fences: new Map(),
        rule: 'stands',
      })
    })

    rule(
      'several admissions are compared at once, each with everything of its org and environment',
      async (under) => {
        const pair = { username: 'peer', password: 'a word of the peer' }
        const wanted = admission('production', [
          fence('apicarrier', [one, two]),
          { ...fence('sip/peer', [three]), pair },
        ])
        const theirs = admission('sandbox', [fence('apicarrier', ['+15550000021'])], 'org_b')
        const nothing = admission('sandbox', [])
        assert.deepEqual(await under.plane.orgs(), [])
        assert.deepEqual(await under.plane.areAdmitted([wanted, theirs, nothing]), [false, false, true])
        await under.plane.admit(wanted)
        await under.plane.admit(theirs)
        const writes = under.writes()
        assert.deepEqual((await under.plane.orgs()).toSorted(), ['org_a', 'org_b'])
        assert.deepEqual(await under.plane.areAdmitted([wanted, theirs, nothing]), [true, true, true])
        const [carriers, peer] = wanted.fences
        assert.ok(carriers && peer)
        const others = [
          { ...wanted, fleet: 'another' },
          { ...wanted, fences: [carriers] },
          { ...wanted, fences: [{ ...carriers, numbers: [one] }, peer] },
          { ...wanted, fences: [{ ...carriers, numbers: [one, two, '+15550000022'] }, peer] },
          { ...wanted, fences: [{ ...carriers, networks: ['198.51.100.7'] }, peer] },
          { ...wanted, fences: [carriers, { ...peer, pair: { ...pair, password: 'another' } }] },
          { ...wanted, fences: [carriers, peer, { ...peer, name: `${peer.name}2` }] },
          { ...wanted, fences: [carriers, { ...peer, encryption: 'required' as const }] },
          { ...theirs, fences: [] },
        ]
        assert.deepEqual(
          await under.plane.areAdmitted(others),
          others.map(() => false),
        )
        assert.equal(under.writes(), writes)
      },
    )

    rule('another network, pair, encryption or fleet is written over the existing one', async (under) => {
      const wanted = admission('production', [fence('sip/peer', [one]), fence('apicarrier', [two])])
      await under.plane.admit(wanted)
      const [peer, carriers] = wanted.fences
      assert.ok(peer && carriers)
      const changed = { ...peer, networks: ['203.0.113.8/32'], pair: { username: 'u', password: 'p' } }
      const verdicts = await under.plane.admit({ ...wanted, fences: [changed, carriers] })
      assert.deepEqual(
        [...verdicts.fences],
        [
          [peer.name, 'done'],
          [carriers.name, 'stands'],
        ],
      )
      assert.deepEqual(sorted(await under.plane.list()), sorted([changed, carriers]))
      const encrypted = [{ ...changed, encryption: 'required' as const }, carriers]
      for (const verdict of ['done', 'stands']) {
        const { fences } = await under.plane.admit({ ...wanted, fences: encrypted })
        assert.equal(fences.get(peer.name), verdict)
      }
      assert.deepEqual(sorted(await under.plane.list()), sorted(encrypted))
      await under.plane.admit({ ...wanted, fences: [changed, carriers] })
      assert.deepEqual(sorted(await under.plane.list()), sorted([changed, carriers]))
      const moved = await under.plane.admit({ ...wanted, fleet: 'another', fences: [changed, carriers] })
      assert.equal(moved.rule, 'done')
      assert.deepEqual(await under.rules(), [
        { name: 'org_a/production', fleet: 'another', numbers: [one, two] },
      ])
    })

    rule(
      'a number moves off one fence before it is on another, and two fences may change places',
      async (under) => {
        await under.plane.admit(
          admission('production', [fence('apicarrier', [one, two]), fence('sip/peer', [three])]),
        )
        const swapped = admission('production', [fence('apicarrier', [three]), fence('sip/peer', [two, one])])
        await under.plane.admit(swapped)
        assert.deepEqual(sorted(await under.plane.list()), sorted(swapped.fences))
      },
    )

    rule(
      "a number that the org's other environment still lists there is taken off it first",
      async (under) => {
        await under.plane.admit(admission('production', [fence('apicarrier', [one, two])]))
        await under.plane.admit(admission('sandbox', [fence('apicarrier', [one])]))
        assert.deepEqual(await under.rules(), [
          { name: 'org_a/production', fleet: 'fleet-of-production', numbers: [two] },
          { name: 'org_a/sandbox', fleet: 'fleet-of-sandbox', numbers: [one] },
        ])
        const moved = admission('sandbox', [fence('apicarrier', [one, two])])
        await under.plane.admit(moved)
        assert.deepEqual(sorted(await under.plane.list()), sorted(moved.fences))
      },
    )

    rule(
      'a fence or rule that lists no number any more is gone, and never left empty (N-191, N-192, T-37)',
      async (under) => {
        const wanted = admission('production', [fence('apicarrier', [one, two]), fence('sip/peer', [three])])
        await under.plane.admit(wanted)
        const verdicts = await under.plane.admit(admission('production', [fence('apicarrier', [two])]))
        assert.deepEqual(
          [...verdicts.fences],
          [
            ['org_a/production/apicarrier', 'done'],
            ['org_a/production/sip/peer', 'done'],
          ],
        )
        assert.deepEqual(await under.rules(), [
          { name: 'org_a/production', fleet: 'fleet-of-production', numbers: [two] },
        ])
        const none = await under.plane.admit(admission('production', []))
        assert.deepEqual(none, { fences: new Map([['org_a/production/apicarrier', 'done']]), rule: 'done' })
        assert.deepEqual([await under.plane.list(), await under.rules()], [[], []])
      },
    )

    rule(
      'a number withdrawn is off its fence and off the rule, in either environment (N-158, N-159)',
      async (under) => {
        await under.plane.admit(
          admission('production', [fence('apicarrier', [one, two]), fence('sip/peer', [three])]),
        )
        assert.equal(await under.plane.withdraw('org_a', one), 'done')
        assert.equal(await under.plane.withdraw('org_a', three), 'done')
        assert.deepEqual(
          sorted(await under.plane.list()),
          sorted([fence('org_a/production/apicarrier', [two])]),
        )
        assert.deepEqual(await under.rules(), [
          { name: 'org_a/production', fleet: 'fleet-of-production', numbers: [two] },
        ])
        assert.equal(await under.plane.withdraw('org_b', two), 'stands')
        assert.equal(await under.plane.withdraw('org_a', one), 'stands')
        assert.equal(await under.plane.withdraw('org_a', two), 'done')
        assert.deepEqual([await under.plane.list(), await under.rules()], [[], []])
      },
    )

    rule(
      'what is not ours is neither shown nor touched, and neither is another org (T-87)',
      async (under) => {
        const foreign = await under.foreign()
        const theirs = admission('production', [fence('apicarrier', [three])], 'org_b')
        await under.plane.admit(theirs)
        await under.plane.admit(admission('production', [fence('apicarrier', [one])]))
        await under.plane.admit(admission('production', [fence('apicarrier', [two])]))
        await under.plane.withdraw('org_a', two)
        await under.plane.admit(admission('sandbox', []))
        assert.deepEqual(sorted(await under.plane.list()), sorted(theirs.fences))
        assert.deepEqual(await under.foreign(), foreign)
      },
    )

    rule(
      "a number that is already on another org's fence is refused, and nothing of theirs changes",
      async (under) => {
        await under.plane.admit(admission('production', [fence('apicarrier', [one, two])], 'org_b'))
        await assert.rejects(under.plane.admit(admission('production', [fence('apicarrier', [two])])), {
          name: 'MediaError',
        })
        assert.deepEqual(await under.rules(), [
          { name: 'org_b/production', fleet: 'fleet-of-production', numbers: [one, two] },
        ])
      },
    )

    rule('a fence without a network or a number is never written (T-36)', async (under) => {
      for (const open of [fence('sip/peer', [one], []), fence('sip/peer', [])]) {
        await assert.rejects(
          under.plane.admit(admission('production', [open])),
          /lists no (?:network|number)$/,
        )
        await assert.rejects(
          under.plane.preview(admission('production', [open])),
          /lists no (?:network|number)$/,
        )
      }
      const elsewhere = admission('production', [fence('apicarrier', [one])])
      await assert.rejects(
        under.plane.admit({ ...elsewhere, env: 'sandbox' }),
        /^Error: org_a\/production\/apicarrier is no fence of org_a\/sandbox$/,
      )
      assert.equal(under.writes(), 0)
    })

    rule('concurrent admissions run one after the other', async (under) => {
      const all = [one, two, three]
      const production = admission('production', [fence('apicarrier', all)])
      const sandbox = admission('sandbox', [fence('apicarrier', all)])
      await Promise.all([
        under.plane.admit(production),
        under.plane.admit(sandbox),
        under.plane.admit(production),
      ])
      const standing = sorted(await under.plane.list())
      const last = standing[0]?.name === sandbox.fences[0]?.name ? sandbox : production // whichever came last
      assert.deepEqual(standing, sorted(last.fences))
      await Promise.all(all.map((number) => under.plane.withdraw('org_a', number)))
      assert.deepEqual([await under.plane.list(), await under.rules()], [[], []])
    })

    for (const [change, { before, after }] of Object.entries(changes))
      rule(`${change} that was interrupted after any write is finished by its repetition`, async (under) => {
        await before(under.plane)
        const writesBefore = under.writes()
        await after(under.plane)
        const writes = under.writes() - writesBefore
        const wanted = [sorted(await under.plane.list()), await under.rules()]
        for (let done = 0; done <= writes; done += 1)
          for (const isLastAnswered of done === writes ? [false] : [true, false]) {
            const broken = await start()
            try {
              await before(broken.plane)
              broken.breakAfter(done, isLastAnswered)
              await assert.rejects(after(broken.plane))
              broken.mend()
              await after(broken.plane)
              assert.deepEqual([sorted(await broken.plane.list()), await broken.rules()], wanted)
              const whole = await broken.whole()
              await after(broken.plane)
              assert.deepEqual(await broken.whole(), whole)
            } finally {
              await broken.stop()
            }
          }
      })
  })
}
