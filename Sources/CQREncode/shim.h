#pragma once
// The whole of libqrencode that Swift sees. Only EarshotGateway imports this module.
#include <qrencode.h>
