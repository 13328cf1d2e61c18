// Waits until the process that systemd has just started accepts requests; exits with 1 if the process ends before.
import { setTimeout as sleep } from 'node:timers/promises'

const { PAYIN_METRICS_PORT: port, PAYIN_METRICS_HOST: host = '127.0.0.1', MAINPID: pid } = process.env
const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`

const isReady = () =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )

const isRunning = () => {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch {
    return false
  }
}

while (!(await isReady())) {
  if (!isRunning()) process.exit(1)
  await sleep(250)
}
