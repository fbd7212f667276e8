import { dialReasons } from '../dialling.ts'
import { placingOutcomes } from '../media-plane.ts'
import { environments } from '../scopes.ts'
import { otherValue, type Metric } from './metric.ts'

const env = environments

/** Final statuses that mean something to an operator; any other is counted by its class. */
export const sipStatuses = [
  200, 202, 400, 401, 403, 404, 405, 407, 408, 410, 415, 416, 420, 422, 423, 480, 481, 482, 483, 484, 486,
  487, 488, 489, 491, 500, 502, 503, 504, 505, 600, 603,
] as const
const sipClasses = ['2xx', '3xx', '4xx', '5xx', '6xx', 'none'] as const

/** Of a phone's line: what comes from the caller, and what they hear. */
const way = ['heard', 'sent'] as const

export const telephonyMetrics = [
  {
    name: 'switchroom_dials_total',
    type: 'counter',
    unit: 'count',
    labels: { env, outcome: ['taken', ...dialReasons, 'not_opened'] },
    help: 'Dials by decision: taken, or the reason of the refusal',
    parts: ['gateway'],
    measured: 'The gateway that judged the dial counts it once its row is in the ledger.',
    panel: { dashboard: 'telephony', title: 'Dials, by decision', by: ['outcome'] },
  },
  {
    name: 'switchroom_dial_results_total',
    type: 'counter',
    unit: 'count',
    labels: { env, result: placingOutcomes },
    help: 'Taken dials by how they went',
    parts: ['gateway'],
    measured: 'The gateway that stored how the placement went counts it.',
    panel: { dashboard: 'telephony', title: 'Dials, by result', by: ['result'] },
  },
  {
    name: 'switchroom_sip_responses_total',
    type: 'counter',
    unit: 'count',
    labels: {
      direction: ['sent', 'received'],
      method: ['INVITE', 'REGISTER', 'OPTIONS', 'BYE', otherValue],
      status: [...sipStatuses.map(String), ...sipClasses],
    },
    help: 'Final SIP responses by status; none: a request of ours got no final response in time',
    parts: ['worker'],
    measured: "The worker's first process, which has the SIP port, counts each transaction once.",
    panel: { dashboard: 'telephony', title: 'SIP responses', by: ['direction', 'method', 'status'] },
  },
  {
    name: 'switchroom_sip_ignored_total',
    type: 'counter',
    unit: 'count',
    labels: { why: ['refused', 'limited', 'malformed'] },
    help: 'SIP messages that were dropped: from an address that no fence lists (refused), above the rate limits (limited), or malformed',
    parts: ['worker'],
    measured: "The worker's first process counts what its SIP server drops.",
    panel: { dashboard: 'telephony', title: 'SIP messages dropped', by: ['why'] },
  },
  {
    name: 'switchroom_worker_places',
    type: 'gauge',
    unit: 'count',
    labels: {},
    help: 'Calls that this worker can run at the same time (SVC_WORKER_CALLS)',
    parts: ['worker'],
    measured: "The worker's setting.",
    panel: { dashboard: 'telephony', title: 'Worker places', by: [], over: 'sum' },
  },
  {
    name: 'switchroom_worker_calls',
    type: 'gauge',
    unit: 'count',
    labels: {},
    help: 'Places of this worker that are taken, calls that are being opened included',
    parts: ['worker'],
    measured: "The worker's first process counts them.",
    panel: { dashboard: 'telephony', title: 'Worker places', by: [], over: 'sum' },
  },
  {
    name: 'switchroom_worker_draining',
    type: 'gauge',
    unit: 'count',
    labels: {},
    help: '1 while the worker accepts no more calls and waits for its own to end',
    parts: ['worker'],
    measured: 'Set by SIGTERM.',
    panel: { dashboard: 'telephony', title: 'Draining workers', by: [], over: 'sum' },
  },
  {
    name: 'switchroom_call_processes',
    type: 'gauge',
    unit: 'count',
    labels: {},
    help: 'Call processes of this worker, those that wait for calls included',
    parts: ['worker'],
    measured: "The worker's first process counts its children.",
    panel: { dashboard: 'telephony', title: 'Call processes', by: [], over: 'sum' },
  },
  {
    name: 'switchroom_lost_calls_total',
    type: 'counter',
    unit: 'count',
    labels: {},
    help: 'Calls that ended because their call process ended',
    parts: ['worker'],
    measured: "The worker's first process counts the calls of a child that exits.",
    panel: { dashboard: 'telephony', title: 'Lost calls', by: [] },
  },
  {
    name: 'switchroom_call_process_delay_seconds',
    type: 'gauge',
    unit: 'seconds',
    labels: {},
    help: "The longest delay of a call process's event loop in the last ten seconds, of all processes with calls",
    parts: ['worker'],
    measured:
      'Each call process measures its event loop and tells its worker every ten seconds. Over 0.02 is heard.',
    panel: { dashboard: 'telephony', title: 'Event loop delay of call processes', by: [], over: 'max' },
  },
  {
    name: 'svc_line_mos',
    type: 'histogram',
    unit: 'mos',
    labels: { way },
    help: 'Estimated MOS of phone calls: heard is what comes from the caller, sent what they hear',
    parts: ['gateway'],
    measured:
      'The gateway that stored the last metrics entry of the line, once for each call of the platform.',
    buckets: [2, 2.6, 3.1, 3.6, 4, 4.2, 4.3, 4.4],
    panel: { dashboard: 'telephony', title: 'Line quality (MOS)', by: ['way'] },
  },
  {
    name: 'svc_line_loss_ratio',
    type: 'histogram',
    unit: 'ratio',
    labels: { way },
    help: 'Share of packets of a phone call that were lost',
    parts: ['gateway'],
    measured: 'As svc_line_mos.',
    buckets: [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
    panel: { dashboard: 'telephony', title: 'RTP loss', by: ['way'] },
  },
  {
    name: 'svc_line_jitter_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: { way },
    help: 'Mean jitter of a phone call',
    parts: ['gateway'],
    measured: 'As svc_line_mos.',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2],
    panel: { dashboard: 'telephony', title: 'RTP jitter', by: ['way'] },
  },
  {
    name: 'svc_line_round_trip_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: {},
    help: 'Mean round trip of a phone call',
    parts: ['gateway'],
    measured: 'As svc_line_mos.',
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2],
    panel: { dashboard: 'telephony', title: 'RTP round trip', by: [] },
  },
] as const satisfies readonly Metric[]
