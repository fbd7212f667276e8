import { randomInt } from 'node:crypto'

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'
const length = 32

/** 32 random letters and digits, every kind among them: the carrier takes nothing less. */
export function newCarrierPassword(): string {
  const all = lower + upper + digits
  for (;;) {
    const password = Array.from({ length }, () => all[randomInt(all.length)]).join('')
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password
  }
}
