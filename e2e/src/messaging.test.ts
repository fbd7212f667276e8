import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newMessageId } from '@switchroom/gateway/testing/messaging/messaging-deliveries'
import { until } from '@switchroom/gateway/testing/until'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { Agent, connect } from '@switchroom/sdk'
import { Chance } from './chance.ts'
import { agent, MessagingFleet, type Message } from './messaging-fleet.ts'

const contacts = 50
const messagesOfEach = 10
const deliveriesOfEach = 3
const deliveriesAtOnce = 12

/** The same again with `SEED=<seed>`; how the machine shares its time is not in it. */
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 32))

const messages: Message[] = Array.from({ length: contacts * messagesOfEach }, (_, n) => {
  const contact = `+3460000${String(n % contacts).padStart(4, '0')}`
  return { id: newMessageId(), contact, text: `${contact} ${Math.floor(n / contacts)}` }
})

/** Every message several times, in any order and several at once; answers how many were read, and what is left. */
async function deliverAll(fleet: MessagingFleet, chance: Chance) {
  const queue = chance.shuffled(Array.from({ length: deliveriesOfEach }, () => messages).flat())
  const left = new Set<Message>()
  let received = 0
  const deliverNext = async () => {
    for (let message = queue.pop(); message; message = queue.pop()) {
      await pause(chance.below(600))
      const read = await fleet.deliver(fleet.messages(message))
      if (read === undefined) left.add(message)
      else received += read
    }
  }
  await Promise.all(Array.from({ length: deliveriesAtOnce }, deliverNext))
  return { received, left }
}

/** What failed comes again until it is taken, as the platform would bring it for a week. */
async function deliverRest(fleet: MessagingFleet, left: ReadonlySet<Message>): Promise<number> {
  let received = 0
  for (const message of left)
    await until('it is taken', async () => {
      const read = await fleet.deliver(fleet.messages(message))
      received += read ?? 0
      return read !== undefined
    })
  return received
}

/** Kills one of the gateways and starts it again, over and over. */
async function killAndStart(
  { gateways }: MessagingFleet,
  chance: Chance,
  isOver: () => boolean,
): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    await pause(500 + chance.below(4000))
    if (isOver()) return kills
    const victim = chance.oneOf(gateways)
    await victim.kill()
    await pause(chance.below(1500))
    await victim.start()
  }
}

interface Turn {
  contact: string
  call: string
  type: string
  text: string
}

/** What the logs of the contacts' calls hold, in order. */
const turnsIn = (fleet: MessagingFleet) =>
  fleet.rows<Turn>(`
    select c.contact, c.id as call, e.type, e.entry::json -> 'data' ->> 'text' as text
    from calls c join entries e on e.log = c.id where e.type in ('user.message', 'agent.message')
    order by c.ordinal, e.seq`)

const byContact = <Item extends { contact: string }>(items: readonly Item[]) =>
  Map.groupBy(items, ({ contact }) => contact)

test('of 500 messages of 50 contacts, delivered three times each in any order to two gateways that are killed and started again, every one is answered once, in order for each contact, and none is lost (N-081, N-093, N-096, N-097, N-351, ND-76, ND-80)', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const chance = new Chance(seed)
  const fleet = await MessagingFleet.start(t, chance)
  fleet.model.reply = async ({ messages: said }) => {
    await pause(chance.below(200))
    return `answer to ${said.at(-1)?.content}`
  }
  for (const { url } of fleet.gateways) {
    const app = connect({ url, key: fleet.key })
    app.on('disconnected', () => {})
    afterwards(t, () => app.close())
    await app.hold(new Agent({ name: agent, prompt: 'Answer.' }))
  }

  let isOver = false
  const killing = killAndStart(fleet, chance, () => isOver)
  const { received, left } = await deliverAll(fleet, chance)
  isOver = true
  const kills = await killing
  // What a gateway was reading when it was killed is read ten minutes later; no gateway reads anything now.
  const dead = await fleet.rows(`
    update message_claims set claimed_at = claimed_at - interval '10 minutes' where read_at is null returning 1`)
  const late = await deliverRest(fleet, left)
  t.diagnostic(`${kills} kills, ${left.size} deliveries repeated, ${dead.length} claims of dead gateways`)
  assert.ok(kills >= 3)
  assert.ok(received + late <= messages.length)

  const texts = () => new Set(fleet.platform.sent.map(({ text }) => text))
  await until('all is sent', () => texts().size >= messages.length, 120_000)
  const unsettled = () => fleet.rows('select from sends where settled_at is null')
  await until('every send is settled', async () => (await unsettled()).length === 0, 60_000)
  const turns = byContact(await turnsIn(fleet))
  assert.equal(turns.size, contacts)
  for (const [contact, sent] of byContact(messages)) {
    const said = turns.get(contact) ?? []
    const heard = said.filter(({ type }) => type === 'user.message').map(({ text }) => text)
    assert.deepEqual(
      heard.toSorted(),
      sent.map(({ text }) => text).toSorted(),
      `what ${contact} wrote, each once`,
    )
    const answers = heard.map((text) => `answer to ${text}`)
    const turned = said.filter(({ type }) => type === 'agent.message').map(({ text }) => text)
    assert.deepEqual(turned, answers, `the agent's turns for ${contact}`)
    assert.deepEqual(fleet.platform.textsTo(contact), answers, `what ${contact} was sent`)
  }
  assert.deepEqual(await fleet.rows('select * from waiting_messages'), [])
  assert.deepEqual(await fleet.rows('select * from message_claims where read_at is null'), [])
  const { threads } = await fleet.ask<{ threads: { turns: object[] }[] }>(
    'GET',
    `/v1/agents/${agent}/threads`,
    undefined,
    fleet.key,
  )
  assert.deepEqual(
    [threads.length, new Set(threads.map((thread) => thread.turns.length))],
    [contacts, new Set([2 * messagesOfEach])],
  )
})
