import { BeatTold, WorkerBeat, WorkerList } from '@switchroom/contract/media-plane'
import { fleetOnly, operator } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { Workers } from './workers.ts'

export function platformWorkerRoutes(server: Server, workers: Workers) {
  server.post(
    '/v1/worker/beats',
    {
      access: fleetOnly,
      schema: {
        summary: 'Say that you live, how many calls you run and would run, and whether you are stopping',
        description: 'Every ten seconds; after thirty of silence a worker is taken as gone.',
        body: WorkerBeat,
        response: { 200: BeatTold },
      },
    },
    ({ body }) => workers.beat(body),
  )

  server.get(
    '/v1/ops/workers',
    {
      access: operator,
      schema: { summary: "The platform's workers that live, and their load", response: { 200: WorkerList } },
    },
    () => workers.list(),
  )
}
