import { AccountAsked } from '@switchroom/contract/carriers'
import { WorkerHeaders } from '@switchroom/contract/calls'
import { TellTrunkTest, ToldTrunkTest, TrunkTestParams } from '@switchroom/contract/media-plane'
import { TestedTrunk, TestTrunk } from '@switchroom/contract/trunk-tests'
import { openingWorker, scope } from '../../http/access.ts'
import { callerGone } from '../../http/caller-gone.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { TrunkTestOffers } from '../worker-offers/trunk-test-offers.ts'
import type { TrunkTests } from './trunk-tests.ts'

export function trunkTestRoutes(server: Server, trunkTests: TrunkTests, offers: TrunkTestOffers) {
  server.post(
    '/v1/carrier/test',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Test the trunk of an account step by step, up to the first step that fails',
        description:
          'Takes up to half a minute, and a minute more with `call`, which is a dial: it is judged by the guards of every dial and is in `GET /v1/org/dials`.',
        querystring: AccountAsked,
        body: TestTrunk,
        response: { 200: TestedTrunk, ...refusals(404, 409, 429, 503) },
      },
    },
    ({ caller, query, body }, reply) => trunkTests.run(caller, query.account, body, callerGone(reply)),
  )

  server.post(
    '/v1/worker/trunk-tests/:id',
    {
      access: openingWorker,
      schema: {
        summary: 'Tell what a test of a trunk found; 409 says that it is over',
        headers: WorkerHeaders,
        params: TrunkTestParams,
        body: TellTrunkTest,
        response: { 200: ToldTrunkTest, ...refusals(409) },
      },
    },
    ({ caller, params, body }) => offers.tell(caller, params.id, body),
  )
}
