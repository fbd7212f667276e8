import { quickBucketsS, type Metric } from './metric.ts'

export const webhookMetrics = [
  {
    name: 'switchroom_webhook_attempts_total',
    type: 'counter',
    unit: 'count',
    labels: { result: ['delivered', 'retried', 'given_up'] },
    help: "Attempts to tell orgs' webhooks of an event",
    parts: ['gateway'],
    measured:
      'The gateway that sent the request: `retried` failed and is sent again, `given_up` failed at the end of its three days.',
    panel: { dashboard: 'processes', title: 'Webhook attempts', by: ['result'] },
  },
  {
    name: 'switchroom_webhook_attempt_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: {},
    help: 'From the look-up of a webhook’s address to the end of its answer, or to the failure',
    parts: ['gateway'],
    measured: 'The gateway that sent the request.',
    buckets: quickBucketsS,
    panel: { dashboard: 'processes', title: 'Webhook answers', by: [] },
  },
] as const satisfies readonly Metric[]
