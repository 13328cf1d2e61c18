/** The milliseconds that processors spent on this process during `run`: what others do on the machine does not count. */
export const workOf = async (run: () => unknown): Promise<number> => {
  const start = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
