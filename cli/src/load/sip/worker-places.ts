import type { WorkerList } from '@switchroom/contract/media-plane'
import type { LoadOrg } from '../deployment/load-org.ts'
import { LoadRefused } from '../load-refused.ts'

/** Refuses a run that the workers could not carry: it would only measure refusals. */
export async function refuseWithoutPlaces({ operator, env }: LoadOrg, calls: number): Promise<void> {
  const { workers } = await operator.get<WorkerList>('/v1/ops/workers')
  const taking = workers.filter((worker) => worker.env === env && !worker.draining)
  if (taking.length === 0)
    throw new LoadRefused(`no worker of this deployment takes calls in ${env}: start one with svc worker`)
  const places = taking.reduce((sum, worker) => sum + worker.capacity - worker.calls, 0)
  if (places < calls)
    throw new LoadRefused(
      `the workers of this deployment have ${places} free places in ${env}, and the run needs ${calls}: raise SVC_WORKER_CALLS, start more workers, or load with less`,
    )
}
