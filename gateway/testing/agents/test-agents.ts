import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Answer, Client } from '../client.ts'
import type { Deployment } from '../deployment.ts'

/** An agent without settings, and what is done with it; `team` is a key that sets the org's own scope. */
export class TestAgent {
  readonly slug = `agent-${randomBytes(4).toString('hex')}`
  readonly at = `/v1/agents/${this.slug}`
  readonly #team: Client

  constructor(team: Client) {
    this.#team = team
  }

  async set(client: Client, config: object, ifVersion = 0, more: object = {}) {
    return done(await client.put(`${this.at}/settings`, { config, if_version: ifVersion, ...more }))
  }

  /** As the team's second version, which no check of today has seen. */
  async keepUnjudged({ sql }: Pick<Deployment, 'sql'>, config: object) {
    await this.set(this.#team, {})
    await sql(
      `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
       select kind, org, agent, env, holder, 2, author, set_at, $2 from versions where agent = $1`,
      [this.slug, config],
    )
  }

  /** The team's versions 1 to n, each with its number as a knob. */
  async setVersions(count: number) {
    for (let version = 0; version < count; version += 1)
      await this.set(this.#team, { max_duration_s: version + 1 }, version)
  }

  async setCanary(version: number, share: number) {
    return done(await this.#team.put(`${this.at}/settings/canary`, { version, share }))
  }

  async open(client: Client): Promise<string> {
    return done(await client.post('/v1/calls', { agent: this.slug })).call
  }

  async config(client: Client, call?: string) {
    return done(await client.get(`${this.at}/config${naming(call)}`))
  }

  async stages(client: Client, call?: string) {
    return (await this.config(client, call)).stages
  }

  /** As it comes, for some are refused. */
  keys(client: Client, call?: string): Promise<Answer> {
    return client.get(`${this.at}/provider-keys${naming(call)}`)
  }
}

const naming = (call: string | undefined) => (call === undefined ? '' : `?for_call=${call}`)

/** The body of an answer that is no refusal. */
export function done(answer: Answer): Answer['body'] {
  assert.ok(answer.status < 300, answer.text)
  return answer.body
}
