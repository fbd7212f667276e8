import { Type, type Static } from 'typebox'

export const SealedColumnState = Type.Object({
  table: Type.String(),
  column: Type.String(),
  left: Type.Integer({ description: 'values that are not sealed under the newest key' }),
})
export type SealedColumnState = Static<typeof SealedColumnState>

export const VaultState = Type.Object({
  key: Type.String({ description: 'the id of the key that this gateway seals with' }),
  finished: Type.Boolean({
    description: 'whether nothing needs another key: the older one may be taken away',
  }),
  left: Type.Integer({ description: 'values that are not sealed under that key' }),
  gateways: Type.Integer({ description: 'gateways that run and seal with another key' }),
  columns: Type.Array(SealedColumnState),
})
export type VaultState = Static<typeof VaultState>

export const VaultRotation = Type.Interface([VaultState], {
  resealed: Type.Integer({ description: 'values that this request sealed again' }),
  unreadable: Type.Array(Type.String(), { description: 'columns with values that none of the keys opens' }),
})
export type VaultRotation = Static<typeof VaultRotation>
