import { VaultRotation, VaultState } from '@switchroom/contract/vault'
import { operator } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { VaultKeyRotation } from './vault.ts'

export function vaultRoutes(server: Server, rotation: VaultKeyRotation) {
  server.get(
    '/v1/ops/vault',
    {
      access: operator,
      schema: { summary: 'How far the change of the vault key is', response: { 200: VaultState } },
    },
    () => rotation.read(),
  )

  server.post(
    '/v1/ops/vault/rotate',
    {
      access: operator,
      schema: {
        summary: 'Seal again under the newest vault key, 2000 values at a time: repeat it until `finished`',
        response: { 200: VaultRotation },
      },
    },
    (request) => rotation.rotate(request.operator),
  )
}
