module example/checkout

go 1.19
