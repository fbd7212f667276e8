import { workerData } from 'node:worker_threads'

const { default: native } = (await import(String(workerData))) as { default: { initEot: () => void } }
native.initEot()
