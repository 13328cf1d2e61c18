-- Reads payer pages chosen at random. LOAD_PATHS: file with their paths, one per line.
-- LOAD_NUMBER: number of this load.
done = function(summary, latency) require('report')(summary, latency) end

local paths = {}

function init()
  for path in io.lines(os.getenv('LOAD_PATHS')) do paths[#paths + 1] = path end
  math.randomseed(tonumber(os.getenv('LOAD_NUMBER')))
end

function request() return wrk.format('GET', paths[math.random(#paths)]) end
