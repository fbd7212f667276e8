export const catalogue = new Map([
  ['rye bread', 4.2],
  ['croissant', 1.6],
  ['apple cake', 18],
])

/** What each contact wants to buy. */
export class Baskets {
  readonly #baskets = new Map<string, Map<string, number>>()
  #lastOrder = 1000

  add(contact: string, product: string, pieces: number): string {
    if (!catalogue.has(product)) throw new Error(`there is no ${product}: read the catalogue`)
    const basket = this.#baskets.get(contact) ?? new Map<string, number>()
    basket.set(product, (basket.get(product) ?? 0) + pieces)
    this.#baskets.set(contact, basket)
    return this.describe(contact)
  }

  describe(contact: string): string {
    const lines = [...(this.#baskets.get(contact) ?? [])]
    if (lines.length === 0) return 'the basket is empty'
    const total = lines.reduce((sum, [product, pieces]) => sum + pieces * (catalogue.get(product) ?? 0), 0)
    return `${lines.map(([product, pieces]) => `${pieces} × ${product}`).join(', ')}: ${total.toFixed(2)} EUR`
  }

  /** Empties the basket: a second order needs a second basket. */
  order(contact: string): { number: string; summary: string } {
    if (!this.#baskets.has(contact)) throw new Error('the basket is empty')
    const summary = this.describe(contact)
    this.#baskets.delete(contact)
    return { number: `A-${(this.#lastOrder += 1)}`, summary }
  }
}
