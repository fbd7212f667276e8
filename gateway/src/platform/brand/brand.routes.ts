import { Brand, ChangeBrand } from '@switchroom/contract/discovery'
import { operator } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { Brands } from './brand.ts'

export function brandRoutes(server: Server, brands: Brands) {
  server.get(
    '/v1/ops/brand',
    { access: operator, schema: { summary: 'How the deployment calls itself', response: { 200: Brand } } },
    () => brands.read(),
  )

  server.put(
    '/v1/ops/brand',
    {
      access: operator,
      schema: {
        summary: 'Change the named fields of the brand',
        body: ChangeBrand,
        response: { 200: Brand },
      },
    },
    (request) => brands.change(request.operator, request.body),
  )
}
