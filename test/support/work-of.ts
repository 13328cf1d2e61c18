/**
 * The milliseconds that a processor spent on this thread during `run`. What others do on the machine does not count, nor do
 * the threads that compile and collect garbage in the background. It is known by the clock's ticks, so to some milliseconds.
 */
export const workOf = async (run: () => unknown): Promise<number> => {
  const start = process.threadCpuUsage()
  await run()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

/**
 * The least work of a few tries, which end once it is at most `enough`: collecting garbage, compiling and a busy machine
 * make one try more work, but what is too much work is so each time.
 */
export const leastWorkOf = async (run: () => unknown, enough: number): Promise<number> => {
  let least = await workOf(run)
  for (let tries = 1; tries < 5 && least > enough; tries++) least = Math.min(least, await workOf(run))
  return least
}
