import type { CreateServerToken } from '@switchroom/contract/keys'
import type { InviteAsOperator, SetOperator } from '@switchroom/contract/members'
import type { CreateOrg, ReplaceQuotas } from '@switchroom/contract/orgs'
import type { Operator } from '../../foundation/caller.ts'
import type { Keys } from '../../people/keys/keys.ts'
import type { Members } from '../../people/members/members.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'

/** What the operator may do in any org, named by its id or its slug. */
export class OrgAdministration {
  readonly #orgs: Orgs
  readonly #members: Members
  readonly #keys: Keys

  constructor(orgs: Orgs, members: Members, keys: Keys) {
    this.#orgs = orgs
    this.#members = members
    this.#keys = keys
  }

  list = () => this.#orgs.list()

  create = (by: Operator, wanted: CreateOrg) => this.#orgs.create(by, wanted)

  detail = (org: string) => this.#orgs.detail(org)

  quotas = (org: string) => this.#orgs.quotasAndCaps(org)

  replaceQuotas = (by: Operator, org: string, wanted: ReplaceQuotas) =>
    this.#orgs.replaceQuotas(by, org, wanted)

  members = async (org: string) => this.#members.list(await this.#id(org))

  invite = async (by: Operator, org: string, invited: InviteAsOperator) =>
    this.#members.inviteAsOperator(by, await this.#id(org), invited)

  removeMember = async (by: Operator, org: string, id: string) =>
    this.#members.removeAsOperator(by, await this.#id(org), id)

  setOperator = async (by: Operator, org: string, id: string, { operator }: SetOperator) =>
    this.#members.setOperator(by, await this.#id(org), id, operator)

  createKey = async (by: Operator, org: string, wanted: CreateServerToken) =>
    this.#keys.createAsOperator(by, await this.#id(org), wanted)

  async #id(idOrSlug: string): Promise<string> {
    return (await this.#orgs.find(idOrSlug)).id
  }
}
