import type { SpeechModel } from '@switchroom/contract/voice-server'
import { authenticate } from '../http/authentication.ts'
import type { Parts, Server } from '../http/server.ts'
import { Refusal } from '../foundation/refusals.ts'

/** The models that a caller may name, in OpenAI's form. */
export async function modelRoutes(server: Server, { gateway }: Parts) {
  server.addHook('onRequest', authenticate(gateway, 'voices'))

  server.get('/v1/models', async ({ entered }, reply) => {
    const { models } = await gateway.models(entered)
    return reply.header('cache-control', 'no-store').send({ object: 'list', data: models.map(listed) })
  })

  // a name has a slash in it, which some clients encode and others do not
  server.get<{ Params: { '*': string } }>('/v1/models/*', async ({ entered, params }, reply) => {
    const { models } = await gateway.models(entered)
    const model = models.find(({ id }) => id === params['*'])
    if (!model)
      throw new Refusal(
        404,
        'BAD_MODEL',
        '`model`: there is none of that name here: GET /v1/models lists them',
      )
    return reply.header('cache-control', 'no-store').send(listed(model))
  })
}

/** Nothing says when a model was made. */
const listed = ({ id, provider }: SpeechModel) => ({ id, object: 'model', created: 0, owned_by: provider })
