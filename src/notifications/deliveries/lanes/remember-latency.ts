/** How long endpoints took to answer, by their ids, each with the address that it had; the one noted last at the end. */
export type Latencies = Map<string, { readonly url: string; readonly latencyMs: number }>

type Answering = {
  readonly endpointId: string
  readonly target: { readonly url: string }
  readonly latencyMs: number | null
}

/** Endpoints that one process remembers: some megabytes. */
const mostRemembered = 20_000

/** Remembers how long an endpoint takes, for when its lane has been given back and is held again. */
export const rememberLatency = (latencies: Latencies, { endpointId, target, latencyMs }: Answering): void => {
  if (latencyMs === null) return
  latencies.delete(endpointId)
  latencies.set(endpointId, { url: target.url, latencyMs })
  if (latencies.size <= mostRemembered) return
  for (const oldest of latencies.keys()) {
    latencies.delete(oldest)
    break
  }
}

/** How long an endpoint took at this address; `null` where nothing is known of it. */
export const knownLatency = (latencies: Latencies, endpointId: string, url: string): number | null => {
  const known = latencies.get(endpointId)
  return known?.url === url ? known.latencyMs : null
}
