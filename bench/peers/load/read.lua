-- Reads payments chosen at random. LOAD_PATH: the path up to the number of a payment, from 1.
-- LOAD_PAYMENTS: how many there are. LOAD_TOKEN: access token, if needed. LOAD_NUMBER: number of this load.
done = function(summary, latency) require('report')(summary, latency) end

local payments = tonumber(os.getenv('LOAD_PAYMENTS'))
local head, tail

function init()
  math.randomseed(tonumber(os.getenv('LOAD_NUMBER')))
  local token = os.getenv('LOAD_TOKEN')
  head = 'GET ' .. os.getenv('LOAD_PATH')
  tail = ' HTTP/1.1\r\nHost: ' .. wrk.headers['Host'] ..
    (token and '\r\nAuthorization: Bearer ' .. token or '') .. '\r\n\r\n'
end

function request()
  return head .. math.random(1, payments) .. tail
end
