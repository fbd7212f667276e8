import { quantile, ratio, type Alert } from './alert.ts'

/** What tells that a process, the database or a queue needs a person. */
export const processAlerts: readonly Alert[] = [
  {
    name: 'SwitchroomSoundLate',
    expr: 'switchroom_call_process_delay_seconds > 0.1',
    for: '2m',
    severity: 'warning',
    summary:
      'Call processes at {{ $labels.instance }} are {{ $value | humanizeDuration }} late: callers hear gaps',
    meaning: 'A call process could not run for a tenth of a second or more, though sound is due every 20 ms.',
    steps: [
      'The machine has too little CPU for its calls: lower `SVC_WORKER_CALLS`, or add a machine.',
      'Look for other programs on it.',
    ],
    fires: { 'switchroom_call_process_delay_seconds{instance="a"}': '0.3x20' },
    silent: { 'switchroom_call_process_delay_seconds{instance="a"}': '0.01x20' },
  },
  {
    name: 'SwitchroomEventLoopBlocked',
    expr: 'nodejs_eventloop_lag_p99_seconds{job=~"switchroom.*"} > 0.5',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.job }} at {{ $labels.instance }} is {{ $value | humanizeDuration }} late',
    meaning: 'The process has more to do than one core can, or waits for a disk.',
    steps: [
      'Add a process of its kind behind the same proxy.',
      'If it is one process only, look in its log for what it does.',
    ],
    fires: { 'nodejs_eventloop_lag_p99_seconds{job="switchroom-gateway",instance="a"}': '2x20' },
    silent: { 'nodejs_eventloop_lag_p99_seconds{job="switchroom-gateway",instance="a"}': '0.02x20' },
  },
  {
    name: 'SwitchroomLogSlow',
    expr: `${quantile(0.99, 'switchroom_log_append_seconds', '', '5m')} > 1`,
    for: '5m',
    severity: 'critical',
    summary: 'Storing entries takes {{ $value | humanizeDuration }}',
    meaning: 'Everything about a call goes through its log: turns, tools and hang-ups wait for it.',
    steps: [
      'Look at the database: its disk, long transactions (`pg_stat_activity`), replication that it waits for.',
      'Look at the pool `writing`: connections that are all busy.',
    ],
    fires: {
      'switchroom_log_append_seconds_bucket{le="1"}': '0+1x20',
      'switchroom_log_append_seconds_bucket{le="5"}': '0+10x20',
      'switchroom_log_append_seconds_bucket{le="+Inf"}': '0+10x20',
    },
    silent: {
      'switchroom_log_append_seconds_bucket{le="1"}': '0+10x20',
      'switchroom_log_append_seconds_bucket{le="5"}': '0+10x20',
      'switchroom_log_append_seconds_bucket{le="+Inf"}': '0+10x20',
    },
  },
  {
    name: 'SwitchroomDatabaseWaiting',
    expr: 'switchroom_database_waiting > 0',
    for: '2m',
    severity: 'warning',
    summary: 'Statements of {{ $labels.instance }} wait for a connection of the pool {{ $labels.pool }}',
    meaning: 'All connections of a pool are busy at each look. After five seconds a request is answered 503.',
    steps: [
      'Look for slow statements in `pg_stat_activity`.',
      'Raise the pool (`docs/settings.md`) if PostgreSQL has connections and CPU to spare, or add a gateway.',
    ],
    fires: { 'switchroom_database_waiting{instance="a",pool="requests"}': '4x20' },
    silent: { 'switchroom_database_waiting{instance="a",pool="requests"}': '0x20' },
  },
  {
    name: 'SwitchroomHttpErrors',
    expr: `${ratio('svc_http_request_seconds_count{status=~"5.."}', 'svc_http_request_seconds_count')} > 0.05 and sum(increase(svc_http_request_seconds_count[10m])) > 20`,
    for: '5m',
    severity: 'critical',
    summary: '{{ $value | humanizePercentage }} of the requests are answered 5xx',
    meaning:
      'Gateways or voice servers fail: 503 is a database that does not answer, 502 a vendor, 500 a defect.',
    steps: [
      'The log line "a request failed" has the cause and the request id of a 500.',
      'For 503 look at the database and at `/readyz`.',
    ],
    fires: {
      'svc_http_request_seconds_count{status="500",route="/x"}': '0+5x20',
      'svc_http_request_seconds_count{status="200",route="/x"}': '0+5x20',
    },
    silent: {
      'svc_http_request_seconds_count{status="500",route="/x"}': '0x20',
      'svc_http_request_seconds_count{status="200",route="/x"}': '0+5x20',
    },
  },
  {
    name: 'SwitchroomLettersStuck',
    expr: 'max(switchroom_queue_overdue_seconds{queue="letters"}) > 600',
    for: '5m',
    severity: 'warning',
    summary: 'Letters have been due for {{ $value | humanizeDuration }}',
    meaning: 'Invitations, resets and other letters are not sent: a mail server does not answer, or refuses.',
    steps: [
      'Send a test letter from the console (Mail): it shows the answer of the server.',
      'Read the log of the gateways for "letter".',
    ],
    fires: { 'switchroom_queue_overdue_seconds{queue="letters"}': '900x20' },
    silent: { 'switchroom_queue_overdue_seconds{queue="letters"}': '0x20' },
  },
  {
    name: 'SwitchroomMessagesWait',
    expr: 'max(switchroom_queue_overdue_seconds{queue="waiting_messages"}) > 3600',
    for: '10m',
    severity: 'warning',
    summary: 'A message has been waiting for an app for {{ $value | humanizeDuration }}',
    meaning: 'Messages of the webhook wait until an app holds their agent, for a day at most.',
    steps: [
      'Find the agent in the console: its page says that its app is offline.',
      'Tell its owner; nothing is lost within a day.',
    ],
    fires: { 'switchroom_queue_overdue_seconds{queue="waiting_messages"}': '4000x30' },
    silent: { 'switchroom_queue_overdue_seconds{queue="waiting_messages"}': '60x30' },
  },
]
