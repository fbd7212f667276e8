import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SipCaller } from '../../testing/sip-caller.ts'
import { answered, type Flooded, unanswered } from '../../testing/sip-flooded.ts'
import type { Flooder, Flooding } from '../../testing/sip-flooder.ts'
import { SipPeer, until } from '../../testing/sip-peer.ts'
import { usualLimits } from './limits.ts'

// Measures time: how long calls are silent under a flood.

const callsOfEach = 4
const mostMs = 8_000
const mostDatagrams = 300_000
/** More than the machine itself is silent for. */
const mostGapMs = 500
/** A flood that harms calls does so every time; a busy machine now and then. */
const mostMeasurements = 3

const open: { close(): Promise<void> | void }[] = []
const closeAll = async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
}
afterEach(closeAll)

/** A process of its own, and what it says when it is asked. */
function start<Told>(file: string, ...words: string[]) {
  const child: ChildProcess = fork(fileURLToPath(new URL(`../../testing/${file}`, import.meta.url)), words)
  const isOver = once(child, 'exit').then(() => Promise.reject(new Error(`${file} has ended`)))
  open.push({
    close: () => {
      child.kill('SIGKILL')
      return isOver.catch(() => {})
    },
  })
  return async (): Promise<Told> => {
    const said = once(child, 'message').then(([told]) => told as Told)
    child.send('tell')
    return Promise.race([said, isOver])
  }
}

/** A server in its own process, with calls in progress. */
async function withCalls() {
  const tell = start<Flooded>('sip-flooded.ts')
  const { port } = await tell()
  const callers = await Promise.all(Array.from({ length: callsOfEach }, () => SipCaller.call(port, answered)))
  open.push({ close: async () => void (await Promise.all(callers.map((caller) => caller.close()))) })
  await until(() => callers.every(({ isHearing }) => isHearing))
  const longestGapMs = () => Math.max(...callers.map((caller) => caller.takeLongestGapMs()))
  return { tell, port, longestGapMs }
}

/** Floods one of two servers with calls; the other shows what the machine itself can do. */
async function floodedFrom(addresses: readonly string[]) {
  const [under, control] = await Promise.all([withCalls(), withCalls()])
  const friend = await SipPeer.open({ port: under.port }, '127.1.9.9')
  open.push(friend)
  await friend.settle()
  const before = await under.tell()
  const flooding: Flooding = { port: under.port, addresses, number: unanswered }
  const tell = start<Flooder>('sip-flooder.ts', JSON.stringify(flooding))
  await tell()
  under.longestGapMs()
  control.longestGapMs()
  const untilMs = performance.now() + mostMs
  let flood = await tell()
  while (flood.sent < mostDatagrams && performance.now() < untilMs) {
    // Others are served meanwhile.
    await friend.settle()
    flood = await tell()
  }
  const gapsMs = { under: under.longestGapMs(), control: control.longestGapMs() }
  const after = await under.tell()
  const grownMb = after.peakMb - before.peakMb
  return { flood, gapsMs, after, grownMb }
}

/** Measures again while the calls under the flood were silent for longer than those beside it. */
async function measured(addresses: readonly string[]) {
  let result = await floodedFrom(addresses)
  for (let times = 1; times < mostMeasurements && isHarmed(result.gapsMs); times += 1) {
    await closeAll()
    result = await floodedFrom(addresses)
  }
  return result
}

const isHarmed = ({ under, control }: { under: number; control: number }) => under >= control + mostGapMs

const floods = [
  {
    rule: 'from outside of every fence hears nothing',
    addresses: ['127.9.0.1', '127.9.0.2', '127.2.0.1', '127.0.0.2'],
    isAdmitted: false,
    mostMb: 64,
  },
  { rule: 'from a peer gone mad is limited', addresses: ['127.1.0.1'], isAdmitted: true, mostMb: 64 },
  { rule: "in the callers' own name is limited", addresses: ['127.0.0.1'], isAdmitted: true, mostMb: 64 },
  {
    rule: 'from many peers gone mad is held to a bound',
    addresses: Array.from({ length: 20 }, (_, n) => `127.1.3.${n + 1}`),
    isAdmitted: true,
    mostMb: 128,
  },
]
for (const { rule, addresses, isAdmitted, mostMb } of floods)
  test(`a flood without a pause ${rule}, takes little memory and harms no call`, async () => {
    const { flood, gapsMs, after, grownMb } = await measured(addresses)
    assert.deepEqual([after.dialogs, after.ends, after.sentences], [callsOfEach, [], []])
    assert.ok(!isHarmed(gapsMs), `silent for ${gapsMs.under} ms, or ${gapsMs.control}`)
    assert.ok(grownMb < mostMb, `it took ${grownMb} MB more`)
    assert.ok(after.ringing <= usualLimits.ringing)
    // Many together may be more than a slow machine reads, before any of them is too many.
    if (addresses.length === 1) assert.ok(after.limited > 1_000, `${after.limited} were too many`)
    if (!isAdmitted)
      assert.deepEqual([flood.heard, after.limited, after.malformed, after.ringing], [0, 0, 0, 0])
    if (!isAdmitted) assert.ok(after.refused > 10_000, `${after.refused} arrived`)
  })
