import { quantile, ratio, type Alert } from './alert.ts'

const ended = 'switchroom_calls_ended_total'
const invites = 'switchroom_sip_responses_total{direction="received",method="INVITE"'
const turns = 'switchroom_turn_latency_seconds'

export const callAlerts: readonly Alert[] = [
  {
    name: 'SwitchroomProcessDown',
    expr: 'up{job=~"switchroom.*"} == 0',
    for: '1m',
    severity: 'critical',
    summary: '{{ $labels.job }} at {{ $labels.instance }} does not answer',
    meaning:
      'Prometheus cannot read the metrics of a gateway, worker or voice server: it is down, or its machine is.',
    steps: [
      'Look at its state where it runs (`systemctl status`, the pod, or `data/logs` of `npm start`) and at the end of its log.',
      'A gateway: the others adopt its written calls within seconds. A worker: its spoken calls have ended, and callers are called back if their agents say so.',
      'If the process runs, check `SVC_METRICS_HOST` and the port, and the network between Prometheus and it.',
    ],
    fires: { 'up{job="switchroom-gateway",instance="a"}': '1 0x20' },
    silent: { 'up{job="switchroom-gateway",instance="a"}': '1x20' },
  },
  {
    name: 'SwitchroomNoWorkers',
    expr: 'absent(switchroom_worker_places)',
    for: '5m',
    severity: 'critical',
    summary: 'No worker reports: no spoken call can be answered',
    meaning:
      'No worker has served metrics for five minutes. Remove this rule if the deployment has written calls only.',
    steps: [
      'Start a worker, or find out why none runs.',
      'Check that Prometheus scrapes the workers (port 8085 by default).',
    ],
    fires: { 'up{job="switchroom-gateway",instance="a"}': '1x20' },
    silent: { 'switchroom_worker_places{instance="a"}': '40x20' },
  },
  {
    name: 'SwitchroomWorkersFull',
    expr: 'sum(switchroom_worker_calls) / sum(switchroom_worker_places unless switchroom_worker_draining == 1) > 0.9',
    for: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the places for spoken calls are taken',
    meaning:
      'Callers who find no place hear so and are called back. Workers that drain take no calls and do not count.',
    steps: [
      'Start another worker, or raise `SVC_WORKER_CALLS` if CPU and the event loop delay of call processes allow it.',
      'Look for calls that do not end: `svc calls` lists the live ones.',
    ],
    fires: {
      'switchroom_worker_places{instance="a"}': '10x20',
      'switchroom_worker_calls{instance="a"}': '10x20',
    },
    silent: {
      'switchroom_worker_places{instance="a"}': '10x20',
      'switchroom_worker_calls{instance="a"}': '5x20',
    },
  },
  {
    name: 'SwitchroomDrainLong',
    expr: 'switchroom_worker_draining == 1',
    for: '2h',
    severity: 'warning',
    summary: 'The worker at {{ $labels.instance }} has been draining for two hours',
    meaning: 'A worker that was asked to stop still waits for its calls.',
    steps: [
      'See which calls it runs: `svc ops logs` of its machine names them.',
      'A second SIGTERM, or SIGINT, ends them now.',
    ],
    fires: { 'switchroom_worker_draining{instance="a"}': '1x150' },
    silent: { 'switchroom_worker_draining{instance="a"}': '0x150' },
  },
  {
    name: 'SwitchroomCallsLost',
    expr: 'increase(switchroom_lost_calls_total[15m]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'A call process at {{ $labels.instance }} ended and its calls with it',
    meaning:
      'A process that ran a few calls crashed or was killed. Their callers heard a sentence; callbacks are requested.',
    steps: [
      'Read the worker\'s log around "a process of calls ended": the lines before it say why.',
      'If the kernel killed it, give the machine more memory or the worker fewer calls.',
    ],
    fires: { 'switchroom_lost_calls_total{instance="a"}': '0x15 2x10' },
    silent: { 'switchroom_lost_calls_total{instance="a"}': '2x20' },
  },
  {
    name: 'SwitchroomCallsFail',
    expr: `${ratio(`${ended}{reason=~"failed|dial_failed"}`, ended)} > 0.1 and sum(increase(${ended}[10m])) > 10`,
    for: '5m',
    severity: 'critical',
    summary: '{{ $value | humanizePercentage }} of the calls end as failed',
    meaning: 'More than a tenth of the calls of the last ten minutes failed.',
    steps: [
      'The dashboard "calls" shows the errors by code: `*_failed` and `*_timeout` are vendors, `worker_lost` workers, `dial_failed` carriers.',
      'Open one such call in the console, or collect its lines with `svc ops logs --call ID`.',
    ],
    fires: {
      [`${ended}{reason="failed",env="production"}`]: '0+5x20',
      [`${ended}{reason="hangup",env="production"}`]: '0+5x20',
    },
    silent: {
      [`${ended}{reason="failed",env="production"}`]: '0x20',
      [`${ended}{reason="hangup",env="production"}`]: '0+5x20',
    },
  },
  {
    name: 'SwitchroomTurnsSlow',
    expr: `${quantile(0.95, turns, '{step="heard",env="production"}')} > 2.5`,
    for: '10m',
    severity: 'warning',
    summary: 'One of twenty callers waits {{ $value | humanizeDuration }} for an answer',
    meaning:
      'From the end of what callers say to the first sound that they hear, the 95th percentile is over 2.5 seconds.',
    steps: [
      'The panel of the turn latency shows which step is late: transcript (speech-to-text), first_token (model), first_audio (voice), heard (the line).',
      'Compare with the latency of the vendors; move agents to a faster vendor or model, or put it first in the providers row.',
    ],
    fires: {
      [`${turns}_bucket{step="heard",env="production",le="2"}`]: '0+1x30',
      [`${turns}_bucket{step="heard",env="production",le="5"}`]: '0+10x30',
      [`${turns}_bucket{step="heard",env="production",le="+Inf"}`]: '0+10x30',
    },
    silent: {
      [`${turns}_bucket{step="heard",env="production",le="2"}`]: '0+10x30',
      [`${turns}_bucket{step="heard",env="production",le="5"}`]: '0+10x30',
      [`${turns}_bucket{step="heard",env="production",le="+Inf"}`]: '0+10x30',
    },
  },
  {
    name: 'SwitchroomToolsUnanswered',
    expr: `${ratio('switchroom_tool_calls_total{outcome="unanswered"}', 'switchroom_tool_calls_total')} > 0.2 and sum(increase(switchroom_tool_calls_total[10m])) > 10`,
    for: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the tool calls get no answer in time',
    meaning: 'Apps do not answer the tools that models call (`SVC_TOOL_TIMEOUT_S`). Callers wait for it.',
    steps: [
      'Find the apps: calls with the error `tool_failed`.',
      'Their owners look at their own programs; an app that is stuck can be restarted at any time.',
    ],
    fires: {
      'switchroom_tool_calls_total{env="production",outcome="unanswered"}': '0+5x20',
      'switchroom_tool_calls_total{env="production",outcome="ok"}': '0+5x20',
    },
    silent: {
      'switchroom_tool_calls_total{env="production",outcome="unanswered"}': '0x20',
      'switchroom_tool_calls_total{env="production",outcome="ok"}': '0+5x20',
    },
  },
  {
    name: 'SwitchroomVendorFailing',
    expr: 'max by (vendor) (svc_vendor_failing) == 1',
    for: '5m',
    severity: 'warning',
    summary: 'The vendor {{ $labels.vendor }} fails in half of its calls or more',
    meaning: 'Calls already use the next vendor of the chain. Agents whose chain has no other fail.',
    steps: [
      "Look at the vendor's status page and at the platform's key for it.",
      'If it lasts, move it down in the providers row (`/v1/ops/providers`).',
    ],
    fires: { 'svc_vendor_failing{vendor="alpha"}': '1x20' },
    silent: { 'svc_vendor_failing{vendor="alpha"}': '0x20' },
  },
  {
    name: 'SwitchroomCarrierRefuses',
    expr: `sum(rate(${invites},status=~"5..|5xx|408|none"}[10m])) / sum(rate(${invites}}[10m])) > 0.5 and sum(increase(${invites}}[10m])) > 5`,
    for: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the dials fail at the carrier',
    meaning:
      'Carriers answer dials with 5xx or not at all. Numbers with further accounts are dialled through these.',
    steps: [
      '`svc carriers` and a trunk test show which account it is and what it answers.',
      'Check the firewall between the worker and the carrier if there is no answer at all.',
    ],
    fires: { [`${invites},status="503"}`]: '0+5x20', [`${invites},status="200"}`]: '0+1x20' },
    silent: { [`${invites},status="503"}`]: '0+1x20', [`${invites},status="200"}`]: '0+5x20' },
  },
  {
    name: 'SwitchroomLinesBad',
    expr: `${quantile(0.9, 'svc_line_loss_ratio', '', '15m')} > 0.05`,
    for: '15m',
    severity: 'warning',
    summary: 'One of ten phone calls loses more than {{ $value | humanizePercentage }} of its packets',
    meaning: 'Callers or agents are hard to understand: the network to the carriers loses sound.',
    steps: [
      'Compare `way`: heard is what comes in, sent what goes out.',
      'Check the network of the workers first, then ask the carrier.',
    ],
    fires: {
      'svc_line_loss_ratio_bucket{way="heard",le="0.05"}': '0+1x40',
      'svc_line_loss_ratio_bucket{way="heard",le="0.2"}': '0+10x40',
      'svc_line_loss_ratio_bucket{way="heard",le="+Inf"}': '0+10x40',
    },
    silent: {
      'svc_line_loss_ratio_bucket{way="heard",le="0.05"}': '0+10x40',
      'svc_line_loss_ratio_bucket{way="heard",le="0.2"}': '0+10x40',
      'svc_line_loss_ratio_bucket{way="heard",le="+Inf"}': '0+10x40',
    },
  },
]
