import assert from 'node:assert/strict'
import type { AuditAction, AuditEntry } from '@switchroom/contract/audit'
import type { Deployment } from '../deployment.ts'

/** The entries of the audit log, read by the operator. */
export class AuditTrail {
  readonly #deployment: Deployment

  constructor(deployment: Deployment) {
    this.#deployment = deployment
  }

  async all(query = ''): Promise<AuditEntry[]> {
    const answer = await this.#deployment.operator.get(`/v1/ops/audit?limit=200${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.entries
  }

  /** The newest entry, which must be of this action. */
  async last(action: AuditAction): Promise<AuditEntry> {
    const [newest] = await this.all()
    assert.equal(newest?.action, action, JSON.stringify(newest))
    return newest
  }

  /** The newest entry of this action. */
  async newest(action: AuditAction, query = ''): Promise<AuditEntry> {
    const [newest] = await this.all(`&action=${action}${query}`)
    assert.ok(newest, `no entry of ${action}`)
    return newest
  }

  async count(): Promise<number> {
    const { rows } = await this.#deployment.sql('select count(*)::int as n from audit')
    return rows[0].n
  }
}
